package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/** A call of a C function that has a segment as its argument, and calls back: {@code qsort} of two elements. */
final class NativeCall {
    private static final FunctionDescriptor COMPARISON = FunctionDescriptor.of(ValueLayout.JAVA_INT,
            ValueLayout.ADDRESS, ValueLayout.ADDRESS);
    /** {@code void qsort(void *base, size_t count, size_t size, int (*comparison)(const void *, const void *));} */
    private static final MethodHandle QSORT = Linker.nativeLinker().downcallHandle(
            Linker.nativeLinker().defaultLookup().find("qsort").orElseThrow(), FunctionDescriptor.ofVoid(
                    ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG, ValueLayout.ADDRESS));

    private final Runnable action;
    private Throwable thrown;

    private NativeCall(Runnable action) {
        this.action = action;
    }

    /** What the action throws while a native call uses the memory, which has 2 bytes or more; or null. */
    static Throwable during(MemorySegment memory, Runnable action) {
        NativeCall call = new NativeCall(action);
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle comparison = MethodHandles.lookup().bind(call, "compare",
                    MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
            QSORT.invokeExact(memory, 2L, 1L, Linker.nativeLinker().upcallStub(comparison, COMPARISON, arena));
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
        return call.thrown;
    }

    /** Nothing may be thrown through C. */
    private int compare(MemorySegment one, MemorySegment other) {
        try {
            action.run();
        } catch (RuntimeException e) {
            thrown = e;
        }
        return 0;
    }
}
