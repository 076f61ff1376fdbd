package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import dev.verbena.verbs.ffi.NativeCall;

/** Runs something while memory is an argument of a native call: within the comparison of qsort(3). */
final class DuringANativeCall {
    private final Runnable action;
    private boolean hasRun;

    private DuringANativeCall(Runnable action) {
        this.action = action;
    }

    /** @param memory of two bytes or more */
    static void run(MemorySegment memory, Runnable action) {
        DuringANativeCall call = new DuringANativeCall(action);
        FunctionDescriptor comparison = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG);
        MethodHandle sort = Linker.nativeLinker().downcallHandle(
                Linker.nativeLinker().defaultLookup().find("qsort").orElseThrow(),
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS));
        try (Arena arena = Arena.ofConfined()) {
            MethodHandle compare = MethodHandles.lookup().bind(call, "compare", comparison.toMethodType());
            sort.invokeExact(memory, 2L, 1L, Linker.nativeLinker().upcallStub(compare, comparison, arena));
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
        if (!call.hasRun) {
            throw new AssertionError("qsort compared nothing");
        }
    }

    @SuppressWarnings("unused")
    private int compare(long one, long other) {
        if (!hasRun) {
            hasRun = true;
            action.run();
        }
        return 0;
    }
}
