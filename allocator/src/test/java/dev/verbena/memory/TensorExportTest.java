package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Address, size and release callback: the third view of a tensor. */
class TensorExportTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
    private final Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(4));

    @AfterEach
    void close() {
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void theAddressLeadsToTheSameBytes() {
        try (TensorExport export = tensor.export()) {
            assertEquals(16, export.byteSize());
            MemorySegment foreign = MemorySegment.ofAddress(export.address()).reinterpret(export.byteSize());
            foreign.setAtIndex(ValueLayout.JAVA_INT, 3, 42);
            assertEquals(42, tensor.memory().getAtIndex(ValueLayout.JAVA_INT, 3));
        }
        tensor.close();
    }

    @Test
    void theTensorStaysUntilItIsReleased() {
        TensorExport export = tensor.export();
        TensorExport another = tensor.export();
        assertEquals(2, tensor.pins());
        tensor.close();
        assertEquals(1, arena.statistics().liveCount());
        Runnable callback = export::release;
        callback.run();
        callback.run();
        export.close();
        assertEquals(1, tensor.pins(), "each release counts once");
        assertThrows(IllegalStateException.class, export::address);
        assertTrue(export.toString().contains("released"));
        assertTrue(another.address() != 0);
        another.release();
    }

    @Test
    void aClosedTensorIsNotExported() {
        tensor.pin();
        tensor.close();
        assertThrows(IllegalStateException.class, tensor::export);
        assertEquals(1, tensor.pins());
        tensor.unpin();
        assertThrows(IllegalStateException.class, tensor::export);
    }

    @Test
    void anExportKeepsAScopeToo() {
        IterationScope scope = arena.scope(4096);
        TensorExport export = scope.allocate(ElementType.INT32, Shape.of(1)).export();
        assertThrows(IllegalStateException.class, scope::close);
        export.release();
        scope.close();
        assertThrows(IllegalStateException.class, export::address);
        tensor.close();
    }
}
