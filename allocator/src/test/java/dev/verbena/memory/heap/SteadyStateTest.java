package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import org.junit.jupiter.api.Test;

/** Threads that free and allocate for ever do not meet: what they would wait for on many cores is counted here, on any number of them. */
class SteadyStateTest {
    private static final long KIB = 1024;
    private static final long GIB = KIB * KIB * KIB;
    private static final int THREADS = 4;
    private static final int LIVE = 200;

    /** Its memory is never touched. */
    private final ArenaHeap heap = new ArenaHeap(new PageRuns());

    @Test
    void smallBlocksOfOneSizeTakeNoLock() throws Exception {
        assertEquals(0, locksOf(256, 256));
    }

    /** Their runs come and go, and the first time that a class needs one more it comes from all. */
    @Test
    void smallBlocksOfManySizesTakeHardlyAny() throws Exception {
        double locks = locksOf(64, 16 * KIB);
        assertTrue(locks < 0.001, () -> "locks a pair: " + locks);
    }

    /** Locks that all threads took in the central heap for so many pairs each, of random sizes, after as many for a start. */
    private double locksOf(long byteSizeMin, long byteSizeMax) throws Exception {
        heap.add(() -> MemorySegment.ofAddress(1L << 40), 16 * GIB / SizeClasses.PAGE_BYTE_SIZE);
        int pairs = 200_000;
        CyclicBarrier barrier = new CyclicBarrier(THREADS + 1);
        long before;
        long after;
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                ends.add(threads.submit(() -> {
                    long[] live = new long[LIVE];
                    replace(live, random, byteSizeMin, byteSizeMax, pairs);
                    barrier.await();
                    barrier.await();
                    replace(live, random, byteSizeMin, byteSizeMax, pairs);
                    barrier.await();
                    barrier.await();
                    for (long address : live) {
                        if (address != 0) {
                            heap.release(address);
                        }
                    }
                    return null;
                }));
            }
            barrier.await();
            before = heap.centralLockCount();
            barrier.await();
            barrier.await();
            after = heap.centralLockCount();
            barrier.await();
            for (Future<?> end : ends) {
                end.get();
            }
        }
        heap.trim(0);
        return (after - before) / ((double) THREADS * pairs);
    }

    private void replace(long[] live, SplittableRandom random, long byteSizeMin, long byteSizeMax, int pairs) {
        for (int i = 0; i < pairs; i++) {
            int place = random.nextInt(live.length);
            if (live[place] != 0) {
                heap.release(live[place]);
            }
            live[place] = heap.take(random.nextLong(byteSizeMin, byteSizeMax + 1));
            assertNotEquals(0, live[place]);
        }
    }
}
