package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.List;

/**
 * The verbs that fail by setting errno, which jextract's own calls do not capture: the JVM may overwrite it before Java
 * code can look.
 *
 * <p>Each call returns its value and leaves the errno in the capture segment of the caller. Verbs that <em>return</em>
 * their errno are called through the generated class. To be touched only where {@link Verbs#bindingProblem()} is null:
 * the handles are bound in the static initialiser.
 */
final class LibIbverbs {
    /** Apart, so that they can be looked for without binding anything. */
    static final class Symbols {
        static final List<String> REQUIRED = List.of("ibv_get_device_list", "ibv_free_device_list",
                "ibv_get_device_name",
                "ibv_get_device_guid", "ibv_open_device", "ibv_close_device", "ibv_query_device", "ibv_query_port",
                "_ibv_query_gid_table");

        private Symbols() {}
    }

    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURED.varHandle(PathElement.groupElement("errno"));

    /** struct ibv_device **ibv_get_device_list(int *num_devices) */
    private static final MethodHandle GET_DEVICE_LIST = withErrno(ibv_get_device_list$address(),
            ibv_get_device_list$descriptor());

    /** struct ibv_context *ibv_open_device(struct ibv_device *device) */
    private static final MethodHandle OPEN_DEVICE = withErrno(ibv_open_device$address(), ibv_open_device$descriptor());

    /** int ibv_close_device(struct ibv_context *context) */
    private static final MethodHandle CLOSE_DEVICE = withErrno(ibv_close_device$address(),
            ibv_close_device$descriptor());

    private LibIbverbs() {}

    static MemorySegment capture(Arena arena) {
        return arena.allocate(CAPTURED);
    }

    static int errno(MemorySegment capture) {
        return (int) ERRNO.get(capture, 0L);
    }

    static MemorySegment getDeviceList(MemorySegment capture, MemorySegment count) {
        try {
            return (MemorySegment) GET_DEVICE_LIST.invokeExact(capture, count);
        } catch (Throwable failed) {
            throw rethrow(failed);
        }
    }

    static MemorySegment openDevice(MemorySegment capture, MemorySegment device) {
        try {
            return (MemorySegment) OPEN_DEVICE.invokeExact(capture, device);
        } catch (Throwable failed) {
            throw rethrow(failed);
        }
    }

    static int closeDevice(MemorySegment capture, MemorySegment context) {
        try {
            return (int) CLOSE_DEVICE.invokeExact(capture, context);
        } catch (Throwable failed) {
            throw rethrow(failed);
        }
    }

    private static MethodHandle withErrno(MemorySegment address, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(address, descriptor, Linker.Option.captureCallState("errno"));
    }

    /**
     * FFM's own checks (closed arena, wrong thread) are runtime exceptions and must reach the caller; a C function
     * throws nothing else.
     */
    private static RuntimeException rethrow(Throwable failed) {
        if (failed instanceof RuntimeException exception) {
            return exception;
        }
        if (failed instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(failed);
    }
}
