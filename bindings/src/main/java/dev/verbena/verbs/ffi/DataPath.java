package dev.verbena.verbs.ffi;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;

/**
 * The verbs of the data path: function pointers that each provider puts into its context, so no symbols. The handles
 * take the pointer as first argument: they stay constants for the compiler while pointers vary. A kind of call is bound when it is
 * first made, in a holder of its own: few programs make all of them.
 *
 * <p>Structures are passed as addresses: FFM then neither acquires nor releases their arenas, and {@link Guard} says
 * that they are alive.
 *
 * <p>Whether a call may be {@linkplain Linker.Option#critical critical}, without the transition that lets garbage
 * collection go on meanwhile, is up to the provider: it may where the call neither blocks nor enters the kernel.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class DataPath {
    private static final FunctionDescriptor POST = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor NOTIFY = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT);
    /** int start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *) */
    private static final FunctionDescriptor START_POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
    /** int next_poll(struct ibv_cq_ex *) */
    private static final FunctionDescriptor NEXT_POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);
    /** void end_poll(struct ibv_cq_ex *) */
    private static final FunctionDescriptor END_POLL = FunctionDescriptor.ofVoid(JAVA_LONG);

    /** int post(void *queue, struct wr *list, struct wr **bad) */
    private static final class Post {
        static final MethodHandle HANDLE = plain(POST);
    }

    private static final class CriticalPost {
        static final MethodHandle HANDLE = critical(POST);
    }

    /** int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc) */
    private static final class Poll {
        static final MethodHandle HANDLE = plain(POLL);
    }

    private static final class CriticalPoll {
        static final MethodHandle HANDLE = critical(POLL);
    }

    /** int req_notify_cq(struct ibv_cq *cq, int solicited_only) */
    private static final class Notify {
        static final MethodHandle HANDLE = plain(NOTIFY);
    }

    /** What an extended completion queue is polled by: whoever calls one of the three calls all. */
    private static final class ExtendedPoll {
        static final MethodHandle START = plain(START_POLL);
        static final MethodHandle NEXT = plain(NEXT_POLL);
        static final MethodHandle END = plain(END_POLL);
    }

    private static final class CriticalExtendedPoll {
        static final MethodHandle START = critical(START_POLL);
        static final MethodHandle NEXT = critical(NEXT_POLL);
        static final MethodHandle END = critical(END_POLL);
    }

    /** Readers of the present completion, which only read memory. */
    private static final class Read {
        static final MethodHandle INT = critical(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
        static final MethodHandle LONG = critical(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
        static final MethodHandle BYTE = critical(FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    }

    private final boolean isPostCritical;
    private final boolean isPollCritical;
    private final boolean forgetsRefusals;

    public DataPath(boolean isPostCritical, boolean isPollCritical, boolean forgetsRefusals) {
        this.isPostCritical = isPostCritical;
        this.isPollCritical = isPollCritical;
        this.forgetsRefusals = forgetsRefusals;
    }

    private static MethodHandle plain(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor);
    }

    private static MethodHandle critical(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor, Linker.Option.critical(false));
    }

    /** Whether a post may name a request that it refused and yet return 0. */
    public boolean forgetsRefusals() {
        return forgetsRefusals;
    }

    /** Zero or an errno. */
    public int post(MemorySegment function, long queue, long list, long bad) {
        try {
            return isPostCritical ? (int) CriticalPost.HANDLE.invokeExact(function, queue, list, bad)
                    : (int) Post.HANDLE.invokeExact(function, queue, list, bad);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Completions written, or negative. */
    public int poll(MemorySegment function, long completionQueue, int countMax, long completions) {
        try {
            return isPollCritical
                    ? (int) CriticalPoll.HANDLE.invokeExact(function, completionQueue, countMax, completions)
                    : (int) Poll.HANDLE.invokeExact(function, completionQueue, countMax, completions);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Zero, ENOENT, or what else the provider has. */
    public int startPoll(MemorySegment function, long completionQueue, long attributes) {
        try {
            return isPollCritical ? (int) CriticalExtendedPoll.START.invokeExact(function, completionQueue, attributes)
                    : (int) ExtendedPoll.START.invokeExact(function, completionQueue, attributes);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** As {@link #startPoll}. */
    public int nextPoll(MemorySegment function, long completionQueue) {
        try {
            return isPollCritical ? (int) CriticalExtendedPoll.NEXT.invokeExact(function, completionQueue)
                    : (int) ExtendedPoll.NEXT.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public void endPoll(MemorySegment function, long completionQueue) {
        try {
            if (isPollCritical) {
                CriticalExtendedPoll.END.invokeExact(function, completionQueue);
            } else {
                ExtendedPoll.END.invokeExact(function, completionQueue);
            }
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static int readInt(MemorySegment function, long completionQueue) {
        try {
            return (int) Read.INT.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static long readLong(MemorySegment function, long completionQueue) {
        try {
            return (long) Read.LONG.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static byte readByte(MemorySegment function, long completionQueue) {
        try {
            return (byte) Read.BYTE.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Zero or an errno. */
    public static int requestNotification(MemorySegment function, long completionQueue, boolean solicitedOnly) {
        try {
            return (int) Notify.HANDLE.invokeExact(function, completionQueue, solicitedOnly ? 1 : 0);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
