package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;

/** Several owners of a tensor: the last one frees it, and each is told what it did wrong. */
class SharedOwnershipTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
    private final Tensor tensor = arena.allocate(ElementType.INT32, Shape.of(4));

    @AfterEach
    void close() {
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void theLastOwnerFrees() {
        TensorLease first = TensorLease.owning(tensor);
        TensorLease second = first.share();
        TensorLease third = second.share();
        assertEquals(3, first.owners());
        assertSame(tensor, third.tensor());
        second.close();
        first.close();
        assertTrue(tensor.isOpen());
        assertEquals(1, third.owners());
        third.close();
        assertFalse(tensor.isOpen());
        assertEquals(0, third.owners());
    }

    @Test
    void oneOwnerClosesOnceWhateverTheOthersDo() {
        TensorLease first = TensorLease.owning(tensor);
        TensorLease second = first.share();
        first.close();
        String message = assertThrows(IllegalStateException.class, first::close).getMessage();
        assertTrue(message.contains("double free") && message.contains("owners=1"), message);
        assertThrows(IllegalStateException.class, first::tensor);
        assertThrows(IllegalStateException.class, first::share);
        assertSame(tensor, second.tensor());
        second.close();
    }

    @Test
    void afterTheLastThereIsNothingToUse() {
        TensorLease only = TensorLease.owning(tensor);
        only.close();
        for (Executable use : List.<Executable>of(only::close, only::tensor, only::share,
                tensor::memory, () -> TensorLease.owning(tensor))) {
            assertThrows(IllegalStateException.class, use);
        }
        assertEquals(0, only.owners());
    }

    @Test
    void nobodyJoinsAfterTheLast() {
        AtomicLong owners = new AtomicLong();
        assertFalse(TensorLease.addOwner(owners));
        assertEquals(0, owners.get());
        owners.set(1);
        assertTrue(TensorLease.addOwner(owners));
        assertEquals(2, owners.get());
        tensor.close();
    }

    @Test
    void aTransferKeepsItLongerThanItsOwners() {
        TensorLease only = TensorLease.owning(tensor);
        tensor.pin();
        only.close();
        assertEquals(1, arena.statistics().liveCount());
        tensor.unpin();
    }

    /** Owners that come and go in several threads: whoever closes last, it is freed once. */
    @Test
    void ownersInSeveralThreads() throws Exception {
        int threads = 4;
        try (ExecutorService executor = Executors.newFixedThreadPool(threads)) {
            TensorLease first = TensorLease.owning(tensor);
            CyclicBarrier start = new CyclicBarrier(threads);
            List<Callable<Void>> owners = new ArrayList<>();
            for (int i = 0; i < threads; i++) {
                TensorLease own = first.share();
                owners.add(() -> {
                    start.await();
                    comeAndGo(own);
                    return null;
                });
            }
            first.close();
            for (Future<Void> end : executor.invokeAll(owners)) {
                end.get();
            }
        }
        assertFalse(tensor.isOpen());
    }

    private void comeAndGo(TensorLease own) {
        TensorLease held = own;
        for (int i = 0; i < 20_000; i++) {
            TensorLease next = held.share();
            held.close();
            held = next;
            assertTrue(tensor.isOpen());
        }
        held.close();
    }

    /** One shares what another closes at the same moment: a share of a live tensor, or an error, nothing between. */
    @Test
    void sharingAgainstClosing() throws Exception {
        tensor.close();
        try (ExecutorService executor = Executors.newSingleThreadExecutor()) {
            CyclicBarrier start = new CyclicBarrier(2);
            for (int i = 0; i < 5_000; i++) {
                Tensor raced = arena.allocate(ElementType.INT32, Shape.of(4));
                TensorLease only = TensorLease.owning(raced);
                Future<Boolean> shared = executor.submit(() -> {
                    start.await();
                    return shareAndClose(only);
                });
                start.await();
                only.close();
                shared.get();
                assertFalse(raced.isOpen());
            }
        }
    }

    private static boolean shareAndClose(TensorLease only) {
        try (TensorLease share = only.share()) {
            assertTrue(share.tensor().isOpen());
            return true;
        } catch (IllegalStateException closed) {
            assertTrue(closed.getMessage().contains("use after free"), closed::getMessage);
            return false;
        }
    }
}
