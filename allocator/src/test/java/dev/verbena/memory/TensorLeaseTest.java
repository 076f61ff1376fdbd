package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Address, size and release callback: the third view of a tensor. */
class TensorLeaseTest {
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
        try (TensorLease export = TensorLease.of(tensor)) {
            assertEquals(16, export.byteSize());
            MemorySegment foreign = MemorySegment.ofAddress(export.address()).reinterpret(export.byteSize());
            foreign.setAtIndex(ValueLayout.JAVA_INT, 3, 42);
            assertEquals(42, tensor.memory().getAtIndex(ValueLayout.JAVA_INT, 3));
        }
        tensor.close();
    }

    @Test
    void theTensorStaysUntilItIsReleased() {
        TensorLease export = TensorLease.of(tensor);
        TensorLease another = TensorLease.of(tensor);
        assertEquals(2, tensor.pins());
        tensor.close();
        assertEquals(1, arena.statistics().liveCount());
        Runnable callback = export::release;
        callback.run();
        callback.run();
        assertThrows(IllegalStateException.class, export::close);
        assertEquals(1, tensor.pins(), "each release counts once");
        assertThrows(IllegalStateException.class, export::address);
        assertTrue(export.toString().contains("nothing"));
        assertTrue(another.address() != 0);
        another.release();
    }

    @Test
    void aClosedTensorIsNotExported() {
        tensor.pin();
        tensor.close();
        assertThrows(IllegalStateException.class, () -> TensorLease.of(tensor));
        assertEquals(1, tensor.pins());
        tensor.unpin();
        assertThrows(IllegalStateException.class, () -> TensorLease.of(tensor));
    }

    @Test
    void anExportKeepsAScopeToo() {
        IterationScope scope = arena.scope(4096);
        TensorLease export = TensorLease.of(scope.allocate(ElementType.INT32, Shape.of(1)));
        assertThrows(IllegalStateException.class, scope::close);
        export.release();
        scope.close();
        assertThrows(IllegalStateException.class, export::address);
        tensor.close();
    }

    /** Edge: with pins that were nobody's own, the second unpin of one transfer gave up the other's. */
    @Test
    void aTransferThatGivesUpTwiceTakesNothingFromAnother() {
        TensorLease careless = TensorLease.of(tensor);
        TensorLease writing = TensorLease.of(tensor);
        tensor.close();
        careless.close();
        assertThrows(IllegalStateException.class, careless::close);
        assertFalse(careless.release());
        assertEquals(1, tensor.pins());
        writing.memory().setAtIndex(ValueLayout.JAVA_INT, 3, 42);
        try (Tensor next = arena.allocate(ElementType.INT32, Shape.of(4))) {
            assertNotEquals(writing.address(), next.address());
        }
        writing.close();
    }

    @Test
    void aLeaseIsUsedAgainButHoldsOneAtATime() {
        TensorLease lease = new TensorLease();
        assertThrows(IllegalStateException.class, lease::tensor);
        assertThrows(IllegalStateException.class, lease::close);
        for (int i = 0; i < 2; i++) {
            lease.pin(tensor);
            assertThrows(IllegalStateException.class, () -> lease.pin(tensor));
            assertEquals(1, tensor.pins());
            lease.close();
            assertEquals(0, tensor.pins());
        }
        tensor.close();
        assertThrows(IllegalStateException.class, () -> lease.pin(tensor));
        assertThrows(IllegalStateException.class, lease::memory);
    }

    @Test
    void aPinIsSharedAsAPin() {
        TensorLease first = TensorLease.of(tensor);
        TensorLease second = first.share();
        assertEquals(2, tensor.pins());
        assertEquals(0, second.owners());
        first.close();
        assertThrows(IllegalStateException.class, first::share);
        tensor.close();
        TensorLease third = second.share();
        second.close();
        assertEquals(1, tensor.pins(), "a closed tensor stays for all who share a pin of it");
        third.memory().fill((byte) 7);
        third.close();
        assertThrows(IllegalStateException.class, third::share);
    }

    @Test
    void whatOwnedPinsNothingElse() {
        TensorLease owner = TensorLease.owning(tensor);
        owner.close();
        Tensor other = arena.allocate(ElementType.INT32, Shape.of(4));
        assertThrows(IllegalStateException.class, () -> owner.pin(other));
        assertEquals(0, other.pins());
        other.close();
    }
}
