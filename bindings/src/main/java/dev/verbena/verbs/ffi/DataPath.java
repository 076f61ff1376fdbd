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
 * take the pointer as first argument: they stay constants for the compiler while pointers vary.
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

    /** int post(void *queue, struct wr *list, struct wr **bad) */
    private static final MethodHandle POST_HANDLE = Linker.nativeLinker().downcallHandle(POST);
    private static final MethodHandle POST_CRITICAL = critical(POST);
    /** int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc) */
    private static final MethodHandle POLL_HANDLE = Linker.nativeLinker().downcallHandle(POLL);
    private static final MethodHandle POLL_CRITICAL = critical(POLL);
    /** int req_notify_cq(struct ibv_cq *cq, int solicited_only) */
    private static final MethodHandle NOTIFY_HANDLE = Linker.nativeLinker().downcallHandle(NOTIFY);

    private static final FunctionDescriptor START = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor NEXT = FunctionDescriptor.of(JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor END = FunctionDescriptor.ofVoid(JAVA_LONG);

    /** int start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *) */
    private static final MethodHandle START_HANDLE = Linker.nativeLinker().downcallHandle(START);
    private static final MethodHandle START_CRITICAL = critical(START);
    /** int next_poll(struct ibv_cq_ex *) */
    private static final MethodHandle NEXT_HANDLE = Linker.nativeLinker().downcallHandle(NEXT);
    private static final MethodHandle NEXT_CRITICAL = critical(NEXT);
    /** void end_poll(struct ibv_cq_ex *) */
    private static final MethodHandle END_HANDLE = Linker.nativeLinker().downcallHandle(END);
    private static final MethodHandle END_CRITICAL = critical(END);

    /** Readers of the present completion, which only read memory. */
    private static final MethodHandle READ_INT = critical(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle READ_LONG = critical(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle READ_BYTE = critical(FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));

    private final boolean isPostCritical;
    private final boolean isPollCritical;
    private final boolean forgetsRefusals;

    public DataPath(boolean isPostCritical, boolean isPollCritical, boolean forgetsRefusals) {
        this.isPostCritical = isPostCritical;
        this.isPollCritical = isPollCritical;
        this.forgetsRefusals = forgetsRefusals;
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
            return isPostCritical ? (int) POST_CRITICAL.invokeExact(function, queue, list, bad)
                    : (int) POST_HANDLE.invokeExact(function, queue, list, bad);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Completions written, or negative. */
    public int poll(MemorySegment function, long completionQueue, int countMax, long completions) {
        try {
            return isPollCritical
                    ? (int) POLL_CRITICAL.invokeExact(function, completionQueue, countMax, completions)
                    : (int) POLL_HANDLE.invokeExact(function, completionQueue, countMax, completions);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Zero, ENOENT, or what else the provider has. */
    public int startPoll(MemorySegment function, long completionQueue, long attributes) {
        try {
            return isPollCritical ? (int) START_CRITICAL.invokeExact(function, completionQueue, attributes)
                    : (int) START_HANDLE.invokeExact(function, completionQueue, attributes);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** As {@link #startPoll}. */
    public int nextPoll(MemorySegment function, long completionQueue) {
        try {
            return isPollCritical ? (int) NEXT_CRITICAL.invokeExact(function, completionQueue)
                    : (int) NEXT_HANDLE.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public void endPoll(MemorySegment function, long completionQueue) {
        try {
            if (isPollCritical) {
                END_CRITICAL.invokeExact(function, completionQueue);
            } else {
                END_HANDLE.invokeExact(function, completionQueue);
            }
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static int readInt(MemorySegment function, long completionQueue) {
        try {
            return (int) READ_INT.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static long readLong(MemorySegment function, long completionQueue) {
        try {
            return (long) READ_LONG.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    public static byte readByte(MemorySegment function, long completionQueue) {
        try {
            return (byte) READ_BYTE.invokeExact(function, completionQueue);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Zero or an errno. */
    public static int requestNotification(MemorySegment function, long completionQueue, boolean solicitedOnly) {
        try {
            return (int) NOTIFY_HANDLE.invokeExact(function, completionQueue, solicitedOnly ? 1 : 0);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
