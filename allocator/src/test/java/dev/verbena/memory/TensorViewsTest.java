package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Views that end with their tensor, where an arena is told so; and what those do that don't. */
class TensorViewsTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final TensorArena arena = TensorArena.create(source, 0, MIB,
            ArenaOptions.defaults().withViewsEndingWithTensors());

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    /** Edge: it was said nowhere. */
    @Test
    void byDefaultAViewOutlivesItsTensor() {
        try (TensorArena ordinary = TensorArena.create(source, MIB, MIB, ArenaOptions.defaults())) {
            Tensor tensor = ordinary.allocate(ElementType.INT32, Shape.of(4));
            MemorySegment view = tensor.memory();
            tensor.close();
            Tensor next = ordinary.allocate(ElementType.INT32, Shape.of(4));
            view.set(ValueLayout.JAVA_INT, 0, 7);
            assertEquals(7, next.memory().get(ValueLayout.JAVA_INT, 0));
            next.close();
        }
    }

    @Test
    void viewsEndWithTheirTensorAndAllItsAliases() {
        Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(4));
        Tensor alias = tensor.reshaped(Shape.of(2, 2));
        MemorySegment view = tensor.memory();
        MemorySegment other = alias.memory();
        ByteBuffer buffer = tensor.asByteBuffer();
        buffer.putInt(0, 7);
        assertEquals(7, other.get(ValueLayout.JAVA_INT, 0));
        assertEquals(tensor.address(), view.address());
        assertEquals(16, view.byteSize());
        alias.close();
        Tensor next = arena.allocate(ElementType.INT32, Shape.of(4));
        assertEquals(view.address(), next.address());
        assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_INT, 0));
        assertThrows(IllegalStateException.class, () -> other.get(ValueLayout.JAVA_INT, 0));
        assertThrows(IllegalStateException.class, () -> buffer.getInt(0));
        assertThrows(IllegalStateException.class, tensor::memory);
        arena.free(next);
    }

    @Test
    void aPinKeepsTheViews() {
        Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(4));
        TensorLease lease = TensorLease.of(tensor);
        MemorySegment view = lease.memory();
        tensor.close();
        view.set(ValueLayout.JAVA_INT, 0, 7);
        lease.close();
        assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_INT, 0));
    }

    @Test
    void aNativeCallKeepsTheBlock() {
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(MIB));
        MemorySegment view = tensor.memory().asSlice(0, 2);
        assertNull(NativeCall.during(view, () -> {
            if (tensor.isOpen()) {
                tensor.close();
            }
            view.set(ValueLayout.JAVA_BYTE, 0, (byte) 1);
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(1)));
            assertThrows(IllegalStateException.class, arena::close);
        }));
        arena.allocate(ElementType.UINT8, Shape.of(MIB)).close();
        assertThrows(IllegalStateException.class, () -> view.get(ValueLayout.JAVA_BYTE, 0));
    }

    @Test
    void whatHasNoViewIsAsInAnyArena() {
        Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(100));
        assertTrue(arena.owns(tensor));
        assertEquals(tensor.address(), tensor.slab().memory().address() + tensor.slabOffset());
        tensor.close();
        assertThrows(IllegalStateException.class, tensor::close);
        long address = arena.allocateAddress(100);
        arena.freeAddress(address);
        assertThrows(IllegalStateException.class, () -> arena.freeAddress(address));
        TensorArena other = TensorArena.create(source, 0, MIB, ArenaOptions.defaults().withViewsEndingWithTensors());
        Tensor foreign = other.allocate(ElementType.UINT8, Shape.of(1));
        assertThrows(IllegalArgumentException.class, () -> arena.free(foreign));
        foreign.close();
        other.close();
    }
}
