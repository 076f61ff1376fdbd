package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What is handed out again and again, and who comes too late. */
class TensorSlotTest {
    private static final Shape SHAPE = Shape.of(6);
    private static final long OFFSET = 64;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final AtomicInteger freed = new AtomicInteger();
    private Slab slab;
    private TensorSlot slot;

    @BeforeEach
    void acquire() {
        slab = source.acquire(4096);
        slot = new TensorSlot(slab, OFFSET, ElementType.FLOAT32, SHAPE, freed::incrementAndGet);
    }

    @AfterEach
    void release() {
        source.release(slab);
    }

    @Test
    void aLeaseIsLentTheSlotTimeAfterTime() {
        TensorLease lease = new TensorLease();
        MemorySegment first = null;
        for (int time = 0; time < 3; time++) {
            slot.lend(lease);
            assertEquals(slab.memory().address() + OFFSET, lease.address());
            assertEquals(24, lease.byteSize());
            slab.memory().set(ValueLayout.JAVA_FLOAT, OFFSET, time);
            assertEquals(time, lease.memory().get(ValueLayout.JAVA_FLOAT, 0));
            first = first == null ? lease.memory() : first;
            assertSame(first, lease.memory());
            lease.close();
            assertEquals(time + 1, freed.get());
        }
    }

    @Test
    void aTensorLivesOnceHoweverOftenItsSlotIsTaken() {
        Tensor first = slot.take();
        first.close();
        Tensor second = slot.take();
        assertNotSame(first, second);
        assertRefused("use after free", first::memory);
        assertRefused("double free", first::close);
        second.close();
        assertEquals(2, freed.get());
    }

    @Test
    void whoGaveHisLeaseUpIsToldAlsoWhenTheSlotIsLentAnew() {
        TensorLease early = new TensorLease();
        slot.lend(early);
        Tensor kept = early.tensor();
        early.close();
        TensorLease late = new TensorLease();
        slot.lend(late);
        assertRefused("use after free", early::memory);
        assertRefused("double free", early::close);
        assertRefused("use after free", kept::memory);
        assertRefused("double free", kept::close);
        assertRefused("pin after free", () -> TensorLease.of(kept));
        assertEquals(1, freed.get());
        late.close();
        assertEquals(2, freed.get());
    }

    @Test
    void itIsFreeWhenAllThatShareAreDone() {
        TensorLease lease = new TensorLease();
        slot.lend(lease);
        TensorLease shared = lease.share();
        lease.close();
        assertEquals(0, freed.get());
        assertRefused("already lent", () -> slot.lend(lease));
        shared.close();
        assertEquals(1, freed.get());
        slot.lend(lease);
        lease.close();
        assertEquals(2, freed.get());
    }

    @Test
    void aLeaseThatHoldsAnotherTakesNothing() {
        try (Tensor other = Tensor.over(slab, 0, ElementType.FLOAT32, SHAPE, () -> {})) {
            TensorLease busy = TensorLease.of(other);
            assertRefused("this lease cannot hold", () -> slot.lend(busy));
            assertSame(other, busy.tensor());
            busy.close();
            TensorLease free = new TensorLease();
            slot.lend(free);
            free.close();
        }
        assertEquals(1, freed.get());
    }

    @Test
    void itLiesWithinItsSlab() {
        assertThrows(IllegalArgumentException.class,
                () -> new TensorSlot(slab, slab.memory().byteSize() - 16, ElementType.FLOAT32, SHAPE, () -> {}));
    }

    private static void assertRefused(String start, Runnable action) {
        String message = assertThrows(IllegalStateException.class, action::run).getMessage();
        assertTrue(message.startsWith(start), message);
    }
}
