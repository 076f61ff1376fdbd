package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.ArenaStatistics.HeapUsage;

/** Threads that free and allocate for ever do not meet: what they would wait for on many cores is counted here, on any number of them. */
class SteadyStateTest {
    private static final long KIB = 1024;
    private static final long GIB = KIB * KIB * KIB;
    private static final int THREADS = 4;
    private static final int LIVE = 200;
    private static final int TURN = 64;

    /** Its memory is never touched. */
    private final ArenaHeap heap = new ArenaHeap(new PageRuns(), 16 * GIB);

    @Test
    void smallBlocksOfOneSizeTakeNoLock() throws Exception {
        assertEquals(0, locksOf(256, 256, 400_000));
    }

    /** Their runs come and go, but within the threads' rooms. */
    @Test
    void smallBlocksOfAllSizesTakeHardlyAny() throws Exception {
        double locks = locksOf(64, 64 * KIB, 400_000);
        assertTrue(locks <= 0.0005, () -> "locks a pair: " + locks);
    }

    @Test
    void smallBlocksSeldomLookAtWhatOthersHave() throws Exception {
        int pairs = 400_000;
        locksOf(64, 64 * KIB, pairs);
        double looks = heap.publishCount() / (2.0 * THREADS * pairs);
        assertTrue(looks <= 0.0001, () -> "looks a pair: " + looks);
    }

    @Test
    void largeBlocksTakeFewLocks() throws Exception {
        double locks = locksOf(128 * KIB, 2 * KIB * KIB, 100_000);
        assertTrue(locks <= 0.05, () -> "locks a pair: " + locks);
    }

    /** Few blocks, of which each is much of what is live: the most that was live goes down and up, but nobody looks at the others' each time. */
    @Test
    void largeBlocksSeldomLookAtWhatOthersHave() throws Exception {
        int pairs = 100_000;
        locksOf(25, 128 * KIB, 2 * KIB * KIB, pairs);
        double looks = heap.publishCount() / (2.0 * THREADS * pairs);
        assertTrue(looks > 0 && looks <= 0.02, () -> "looks a pair: " + looks);
    }

    /** One allocates, another frees: what comes back is allocated again. */
    @Test
    void largeBlocksThatAnotherThreadFreesComeBack() throws Exception {
        heap.add(() -> MemorySegment.ofAddress(1L << 40), 16 * GIB / SizeClasses.PAGE_BYTE_SIZE, false);
        BlockingQueue<Long> blocks = new ArrayBlockingQueue<>(LIVE);
        int rounds = 100_000;
        Thread other = Thread.ofPlatform().start(() -> {
            for (int i = 0; i < rounds; i++) {
                try {
                    heap.release(blocks.take());
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
            }
        });
        SplittableRandom random = new SplittableRandom(1);
        long before = 0;
        for (int i = 0; i < rounds; i++) {
            before = i == rounds / 2 ? heap.centralLockCount() : before;
            blocks.put(heap.take(random.nextLong(128 * KIB, 2 * KIB * KIB)));
        }
        other.join();
        double locks = (heap.centralLockCount() - before) / (rounds / 2.0);
        assertTrue(locks <= 0.05, () -> "locks a pair: " + locks);
        assertTrue(heap.isConsistent());
        ArenaStatistics recent = heap.recentStatistics();
        assertEquals(0, heap.statistics().liveCount());
        long held = recent.heaps().stream().mapToLong(HeapUsage::cachedByteSize).sum() + recent.largeByteSize();
        assertTrue(held < 2 * GIB, () -> "held=" + held);
        heap.trim(0, 0);
    }

    private double locksOf(long byteSizeMin, long byteSizeMax, int pairs) throws Exception {
        return locksOf(LIVE, byteSizeMin, byteSizeMax, pairs);
    }

    /** Locks that all threads took in the central heap for so many pairs each, of random sizes, after as many for a start. */
    private double locksOf(int liveCount, long byteSizeMin, long byteSizeMax, int pairs) throws Exception {
        heap.add(() -> MemorySegment.ofAddress(1L << 40), 16 * GIB / SizeClasses.PAGE_BYTE_SIZE, false);
        CyclicBarrier barrier = new CyclicBarrier(THREADS);
        AtomicLong locks = new AtomicLong();
        try (ExecutorService threads = Executors.newFixedThreadPool(THREADS)) {
            List<Future<?>> ends = new ArrayList<>();
            for (int i = 0; i < THREADS; i++) {
                SplittableRandom random = new SplittableRandom(i);
                ends.add(threads.submit(() -> {
                    long[] live = new long[liveCount];
                    replace(live, random, byteSizeMin, byteSizeMax, pairs);
                    if (barrier.await() == 0) {
                        locks.addAndGet(-heap.centralLockCount());
                    }
                    barrier.await();
                    replace(live, random, byteSizeMin, byteSizeMax, pairs);
                    if (barrier.await() == 0) {
                        locks.addAndGet(heap.centralLockCount());
                    }
                    barrier.await();
                    LongStream.of(live).filter(address -> address != 0).forEach(heap::release);
                    return null;
                }));
            }
            for (Future<?> end : ends) {
                end.get();
            }
        }
        assertTrue(heap.isConsistent());
        assertEquals(0, heap.statistics().liveCount());
        assertEquals(1, heap.trim(0, 0).size());
        return locks.get() / ((double) THREADS * pairs);
    }

    private void replace(long[] live, SplittableRandom random, long byteSizeMin, long byteSizeMax, int pairs) {
        for (int i = 0; i < pairs; i++) {
            int place = random.nextInt(live.length);
            if (live[place] != 0) {
                heap.release(live[place]);
            }
            live[place] = heap.take(random.nextLong(byteSizeMin, byteSizeMax + 1));
            assertNotEquals(0, live[place]);
            if (i % TURN == 0) {
                // Few processors: others have a turn.
                Thread.yield();
            }
        }
    }
}
