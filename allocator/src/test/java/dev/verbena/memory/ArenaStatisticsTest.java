package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.ArenaStatistics.ClassUsage;
import dev.verbena.memory.ArenaStatistics.HeapUsage;
import dev.verbena.memory.heap.SizeClasses;

/** What an arena says of itself while it is at work, and what its map shows. */
class ArenaStatisticsTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB);

    @AfterEach
    void close() {
        arena.close();
    }

    @Test
    void blocksAreCountedByClassAndThread() throws Exception {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < 10; i++) {
            blocks.add(arena.allocateAddress(48));
        }
        blocks.add(arena.allocateAddress(5000));
        blocks.add(arena.allocateAddress(100_000));
        long[] other = new long[1];
        Thread thread = Thread.ofPlatform().start(() -> other[0] = arena.allocateAddress(64));
        thread.join();

        ArenaStatistics usage = arena.recentStatistics();
        long large = SizeClasses.ceilToPage(100_000);
        assertEquals(List.of(new ClassUsage(64, 11), new ClassUsage(5120, 1)), usage.classes());
        assertEquals(11 * 64 + 5120 + large, usage.liveByteSize());
        assertEquals(usage.liveByteSize(), usage.livePeakByteSize());
        assertEquals(1, usage.largeCount());
        assertEquals(large, usage.largeByteSize());
        assertEquals(1 - (10 * 48 + 64 + 5000) / (11.0 * 64 + 5120), usage.internalFragmentation(), 1e-9);
        assertEquals(1 - (double) usage.liveByteSize() / (4 * MIB), usage.externalFragmentation(), 1e-9);

        HeapUsage mine = of(usage, Thread.currentThread());
        assertEquals(10 * 64 + 5120, mine.liveByteSize());
        assertEquals(11, mine.allocationCount());
        assertTrue(mine.cachedByteSize() > 0 && mine.cachedByteSize() % 64 == 0, mine::toString);
        assertEquals(64, of(usage, thread).liveByteSize());

        blocks.forEach(arena::freeAddress);
        arena.freeAddress(other[0]);
        arena.trim();
        usage = arena.recentStatistics();
        assertEquals(List.of(), usage.classes());
        assertEquals(0, usage.liveByteSize());
        assertEquals(0, of(usage, Thread.currentThread()).cachedByteSize());
    }

    private static HeapUsage of(ArenaStatistics usage, Thread thread) {
        return usage.heaps().stream().filter(heap -> heap.threadId() == thread.threadId()).findAny().orElseThrow();
    }

    /** More of them at once than an arena finds at the first or second look. */
    @Test
    void eachOfManyThreadsKeepsItsHeap() throws Exception {
        int count = 150;
        CountDownLatch allocated = new CountDownLatch(count);
        long[] blocks = new long[count];
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            int index = i;
            threads.add(Thread.ofPlatform().start(() -> {
                long first = arena.allocateAddress(64);
                allocated.countDown();
                try {
                    allocated.await();
                } catch (InterruptedException e) {
                    throw new AssertionError(e);
                }
                arena.freeAddress(first);
                blocks[index] = arena.allocateAddress(100);
            }));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        ArenaStatistics usage = arena.statistics();
        for (Thread thread : threads) {
            assertEquals(128, of(usage, thread).liveByteSize());
        }
        assertEquals(count, usage.liveCount());
        for (long block : blocks) {
            arena.freeAddress(block);
        }
    }

    @Test
    void whatAnotherThreadHasFreedIsLiveUntilItIsTakenBack() throws Exception {
        long block = arena.allocateAddress(1000);
        Thread.ofPlatform().start(() -> arena.freeAddress(block)).join();
        assertEquals(1024, arena.recentStatistics().liveByteSize());
        assertEquals(0, arena.statistics().liveByteSize());
        assertEquals(0, arena.recentStatistics().liveByteSize());
    }

    @Test
    void theMapShowsWhatEveryPageIsUsedFor() {
        long small = arena.allocateAddress(1000);
        long large = arena.allocateAddress(MIB);
        List<RunMap> runs = arena.map().getFirst().runs();
        assertEquals(4 * MIB, runs.stream().mapToLong(RunMap::byteSize).sum());
        assertEquals(1024 + MIB, runs.stream().mapToLong(RunMap::liveByteSize).sum());
        assertEquals(List.of(RunMap.Kind.LARGE, RunMap.Kind.FREE, RunMap.Kind.SLOTS),
                runs.stream().map(RunMap::kind).toList());
        assertEquals(1, runs.getLast().liveSlotCount());
        assertEquals(runs.get(1).byteSize(), arena.statistics().largestFreeRunByteSize());
        arena.freeAddress(small);
        arena.freeAddress(large);
    }
}
