package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A block that its heap's thread and another free at the same time: the second is refused, or told to the heap, and nobody gets it twice. */
class FreedTwiceTest {
    private static final long SLAB_PAGES = 64 * 1024;
    private static final int SIZE = 256;

    private final CentralHeap central = new CentralHeap(new PageRuns(), SLAB_PAGES);
    private final SlotHeap owner = SlotHeap.shared(central);
    private final SlotHeap other = SlotHeap.shared(central);

    /** Edge: the slot was handed out, taken back, and handed out again. */
    @Test
    void aSlotIsNotHandedOutUntilTheHeapIsTold() {
        addSlab();
        int sizeClass = SizeClasses.indexOf(SIZE);
        long address = owner.allocateSlowly(sizeClass, SIZE);
        long run = owner.runAt(address);
        // The other thread has seen that the block is live; before it goes on, this one is through.
        assertTrue(owner.free(address));
        assertEquals(0, RunRecord.addReturnedSlots(run, 1));
        assertEquals(0, owner.allocate(sizeClass, SIZE), "of that slot");
        // The other has not told the heap yet: a run of others is found, and this one is not given away as an idle one.
        long meanwhile = owner.allocateSlowly(sizeClass, SIZE);
        assertNotEquals(run, owner.runAt(meanwhile));
        owner.trim();
        assertEquals(run, owner.runAt(address));
        central.pushReturned(RunRecord.heap(run), run);
        String message = assertThrows(IllegalStateException.class, owner::takeReturned).getMessage();
        assertTrue(message.startsWith("double free: the block at address=0x" + Long.toHexString(address)), message);

        Set<Long> live = new HashSet<>(Set.of(meanwhile));
        for (int i = 0; i < 100; i++) {
            assertTrue(live.add(owner.allocateAny(SIZE)), "handed out twice");
        }
        assertTrue(live.contains(address));
        assertTrue(new ArenaCheck(central).confirms(owner.liveByteSize(), 101));
        live.forEach(owner::free);
        end();
    }

    @Test
    void aLargeBlockOfARoomIsFreedByOneOfTwo() {
        addSlab();
        long address = owner.allocateLarge(100);
        while (owner.rooms().count() == 0) {
            other.freeLarge(other.runAt(address), address);
            address = owner.allocateLarge(100);
        }
        long run = owner.runAt(address);
        owner.freeLarge(run, address);
        assertNotEquals(0, RunRecord.addReturnedSlots(run, 1), "the other one, who has seen that it is live");
        assertEquals(address, owner.allocateLarge(100));
        assertEquals(0, RunRecord.returnedSlots(run), "another one");
        owner.freeLarge(run, address);
        end();
    }

    /** As above, by threads. */
    @ParameterizedTest
    @ValueSource(longs = {64, 40_000, 300_000})
    void ofTwoThreadsOneIsToldOrTheHeap(long byteSize) throws Exception {
        int rounds = 500;
        ArenaHeap heap = new ArenaHeap(new PageRuns(), SLAB_PAGES * SizeClasses.PAGE_BYTE_SIZE);
        heap.add(() -> MemorySegment.ofAddress(1L << 40), SLAB_PAGES, false);
        AtomicInteger turn = new AtomicInteger();
        AtomicInteger refused = new AtomicInteger();
        long[] block = new long[1];
        ExecutorService executor = Executors.newSingleThreadExecutor();
        try {
            Future<?> end = executor.submit(() -> {
                for (int round = 0; round < rounds; round++) {
                    await(turn, 3 * round + 1);
                    free(heap, block[0], refused);
                    turn.incrementAndGet();
                }
            });
            for (int round = 0; round < rounds; round++) {
                block[0] = heap.take(byteSize);
                turn.incrementAndGet();
                free(heap, block[0], refused);
                await(turn, 3 * round + 2);
                try {
                    assertTrue(heap.isConsistent());
                } catch (IllegalStateException e) {
                    refused.incrementAndGet();
                }
                assertEquals(round + 1, refused.get(), "refused or told");
                turn.incrementAndGet();
            }
            end.get();
        } finally {
            executor.shutdownNow();
        }
        assertTrue(heap.isConsistent());
        heap.closeForGood();
    }

    private static void await(AtomicInteger turn, int value) {
        while (turn.get() < value && !Thread.currentThread().isInterrupted()) {
            Thread.yield();
        }
    }

    private static void free(ArenaHeap heap, long block, AtomicInteger refused) {
        try {
            heap.release(block);
        } catch (IllegalStateException | IllegalArgumentException e) {
            refused.incrementAndGet();
        }
    }

    private void addSlab() {
        central.add(() -> MemorySegment.ofAddress(1L << 40), SLAB_PAGES, false);
    }

    private void end() {
        owner.trim();
        other.trim();
        assertEquals(1, central.removeIdle(0).size());
    }
}
