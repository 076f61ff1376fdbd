package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

import org.junit.jupiter.api.Test;

/** A native call that works on a segment of a scope, {@code qsort}, which calls back while it does. */
class ScopeDuringCallTest {
    private static final Linker LINKER = Linker.nativeLinker();
    private static final long MIB = 1024 * 1024;

    private IterationScope scope;
    private Throwable thrown;
    private Tensor bystander;

    @Test
    void theScopeStaysForTheCall() throws Throwable {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            scope = arena.scope(4096);
            bystander = scope.allocate(ElementType.INT32, Shape.of(1));
            MemorySegment numbers = scope.allocateFrom(ValueLayout.JAVA_INT, 2, 1);
            sort(numbers);
            assertTrue(thrown.getMessage().contains("native call"), thrown::getMessage);
            assertEquals(1, numbers.get(ValueLayout.JAVA_INT, 0), "sorted all the same");
            assertTrue(bystander.isOpen());
            scope.close();
            assertThrows(IllegalStateException.class, () -> sort(numbers));
        }
    }

    /** Called by qsort. */
    int compare(MemorySegment one, MemorySegment other) {
        assertNull(thrown, "two numbers are compared once");
        thrown = assertThrows(IllegalStateException.class, scope::close);
        return Integer.compare(one.get(ValueLayout.JAVA_INT, 0), other.get(ValueLayout.JAVA_INT, 0));
    }

    /** {@code void qsort(void *base, size_t nmemb, size_t size, int (*compar)(const void *, const void *));} */
    private void sort(MemorySegment numbers) throws Throwable {
        MethodHandle qsort = LINKER.downcallHandle(LINKER.defaultLookup().find("qsort").orElseThrow(),
                FunctionDescriptor.ofVoid(ValueLayout.ADDRESS, ValueLayout.JAVA_LONG, ValueLayout.JAVA_LONG,
                        ValueLayout.ADDRESS));
        MethodHandle compare = MethodHandles.lookup().bind(this, "compare",
                MethodType.methodType(int.class, MemorySegment.class, MemorySegment.class));
        var pointer = ValueLayout.ADDRESS.withTargetLayout(ValueLayout.JAVA_INT);
        try (Arena stub = Arena.ofConfined()) {
            qsort.invokeExact(numbers, 2L, 4L, LINKER.upcallStub(compare,
                    FunctionDescriptor.of(ValueLayout.JAVA_INT, pointer, pointer), stub));
        }
    }
}
