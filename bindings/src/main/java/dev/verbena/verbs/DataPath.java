package dev.verbena.verbs;

import static java.lang.foreign.ValueLayout.ADDRESS;
import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.io.IOException;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandle;
import java.nio.file.Path;
import java.util.Set;

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
final class DataPath {
    private static final Path DEVICES = Path.of("/sys/class/infiniband");
    /** Kernel drivers whose user-space providers write descriptors and ring doorbells, and nothing else. */
    private static final Set<String> NO_SYSTEM_CALLS = Set.of("mlx4_core", "mlx5_core");

    private static final FunctionDescriptor POST = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG, JAVA_LONG);
    private static final FunctionDescriptor POLL = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT, JAVA_LONG);
    private static final FunctionDescriptor NOTIFY = FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_INT);

    /** int post(void *queue, struct wr *list, struct wr **bad) */
    private static final MethodHandle POST_HANDLE = Linker.nativeLinker().downcallHandle(POST);
    private static final MethodHandle POST_CRITICAL = critical(POST);
    /** int poll_cq(struct ibv_cq *cq, int num_entries, struct ibv_wc *wc): never enters the kernel. */
    private static final MethodHandle POLL_CRITICAL = critical(POLL);
    /** int req_notify_cq(struct ibv_cq *cq, int solicited_only) */
    private static final MethodHandle NOTIFY_HANDLE = Linker.nativeLinker().downcallHandle(NOTIFY);

    private static final MethodHandle INT_CRITICAL = critical(FunctionDescriptor.of(JAVA_INT, JAVA_LONG));
    private static final MethodHandle LONG_CRITICAL = critical(FunctionDescriptor.of(JAVA_LONG, JAVA_LONG));
    private static final MethodHandle BYTE_CRITICAL = critical(FunctionDescriptor.of(JAVA_BYTE, JAVA_LONG));
    private static final MethodHandle VOID_CRITICAL = critical(FunctionDescriptor.ofVoid(JAVA_LONG));
    private static final MethodHandle START_CRITICAL = critical(
            FunctionDescriptor.of(JAVA_INT, JAVA_LONG, JAVA_LONG));

    private final boolean isCritical;
    private final boolean isSoftware;

    DataPath(boolean isCritical, boolean isSoftware) {
        this.isCritical = isCritical;
        this.isSoftware = isSoftware;
    }

    static DataPath of(String device) {
        String driver = kernelDriver(device);
        return new DataPath(NO_SYSTEM_CALLS.contains(driver), driver.isEmpty());
    }

    private static MethodHandle critical(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor, Linker.Option.critical(false));
    }

    /** Whether there is no hardware under it: soft-RoCE or soft-iWARP. */
    boolean isSoftware() {
        return isSoftware;
    }

    /** Empty for software devices. */
    private static String kernelDriver(String device) {
        try {
            return DEVICES.resolve(device).resolve("device/driver").toRealPath().getFileName().toString();
        } catch (IOException none) {
            return "";
        }
    }

    /** Zero or an errno. */
    int post(MemorySegment function, long queue, long list, long bad) {
        try {
            return isCritical ? (int) POST_CRITICAL.invokeExact(function, queue, list, bad)
                    : (int) POST_HANDLE.invokeExact(function, queue, list, bad);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Completions written, or negative. */
    static int poll(MemorySegment function, long completionQueue, int countMax, long completions) {
        try {
            return (int) POLL_CRITICAL.invokeExact(function, completionQueue, countMax, completions);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** int start_poll(struct ibv_cq_ex *, struct ibv_poll_cq_attr *) */
    static int startPoll(MemorySegment function, long completionQueue, long attributes) {
        try {
            return (int) START_CRITICAL.invokeExact(function, completionQueue, attributes);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** int f(T *): a reader of an extended completion queue, and the step to its next completion. */
    static int callInt(MemorySegment function, long object) {
        try {
            return (int) INT_CRITICAL.invokeExact(function, object);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    static long callLong(MemorySegment function, long object) {
        try {
            return (long) LONG_CRITICAL.invokeExact(function, object);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    static byte callByte(MemorySegment function, long object) {
        try {
            return (byte) BYTE_CRITICAL.invokeExact(function, object);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    static void callVoid(MemorySegment function, long object) {
        try {
            VOID_CRITICAL.invokeExact(function, object);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    /** Zero or an errno. */
    static int requestNotification(MemorySegment function, long completionQueue, boolean solicitedOnly) {
        try {
            return (int) NOTIFY_HANDLE.invokeExact(function, completionQueue, solicitedOnly ? 1 : 0);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }
}
