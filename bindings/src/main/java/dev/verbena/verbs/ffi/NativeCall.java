package dev.verbena.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout.PathElement;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.StructLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;
import dev.verbena.verbs.VerbsException;

/**
 * The three ways in which verbs fail, as one exception: they return NULL, or -1, and set errno, which must be captured
 * within the call because the JVM may overwrite it before Java code can look; or they return the errno.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class NativeCall {
    /** A call of a handle that captures errno into its first argument. */
    @FunctionalInterface
    public interface Capturing<T> {
        T invoke(MemorySegment capture) throws Throwable;
    }

    private static final StructLayout CAPTURED = Linker.Option.captureStateLayout();
    private static final VarHandle ERRNO = CAPTURED.varHandle(PathElement.groupElement("errno"));

    private NativeCall() {}

    /** A handle whose first argument takes what is captured. */
    public static MethodHandle withErrno(MemorySegment address, FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(address, descriptor, Linker.Option.captureCallState("errno"));
    }

    /** The same for a function pointer, which is then the first argument. */
    public static MethodHandle withErrno(FunctionDescriptor descriptor) {
        return Linker.nativeLinker().downcallHandle(descriptor, Linker.Option.captureCallState("errno"));
    }

    /** For verbs that return NULL and set errno. */
    public static MemorySegment pointer(String verb, Supplier<String> on, Capturing<MemorySegment> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment capture = arena.allocate(CAPTURED);
            MemorySegment result = invoke(capture, call);
            if (result.address() == 0) {
                throw new VerbsException(verb, on.get(), errno(capture), null);
            }
            return result;
        }
    }

    /** For verbs that return -1 and set errno. */
    public static int status(String verb, Supplier<String> on, Capturing<Integer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment capture = arena.allocate(CAPTURED);
            int result = invoke(capture, call);
            if (result < 0) {
                throw new VerbsException(verb, on.get(), errno(capture), null);
            }
            return result;
        }
    }

    /** For verbs that return an errno; some providers return it negative. */
    public static void check(String verb, Supplier<String> on, int errno) {
        check(verb, on, errno, null);
    }

    /** With what to do; null for errno's own remedy. */
    public static void check(String verb, Supplier<String> on, int errno, String remedy) {
        if (errno != 0) {
            throw new VerbsException(verb, on.get(), Math.abs(errno), remedy);
        }
    }

    /** Zero, or the errno that the call left. */
    public static int errnoOf(Capturing<Integer> call) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment capture = arena.allocate(CAPTURED);
            return invoke(capture, call) == 0 ? 0 : errno(capture);
        }
    }

    private static <T> T invoke(MemorySegment capture, Capturing<T> call) {
        try {
            return call.invoke(capture);
        } catch (Throwable failed) {
            throw rethrow(failed);
        }
    }

    /** Memory for a handle that captures errno. */
    public static MemorySegment capture(Arena arena) {
        return arena.allocate(CAPTURED);
    }

    public static int errno(MemorySegment capture) {
        return (int) ERRNO.get(capture, 0L);
    }

    /**
     * FFM's own checks (closed arena, wrong thread) are runtime exceptions and must reach the caller; a C function
     * throws nothing else.
     */
    public static RuntimeException rethrow(Throwable failed) {
        if (failed instanceof RuntimeException exception) {
            return exception;
        }
        if (failed instanceof Error error) {
            throw error;
        }
        return new IllegalStateException(failed);
    }
}
