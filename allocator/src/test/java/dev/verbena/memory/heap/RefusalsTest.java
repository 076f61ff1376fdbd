package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.OffHeapSlabSource;

/** A refused request keeps nobody out, as far as that is known to be in vain; and what was freed before a request is there for it. */
class RefusalsTest {
    private static final long MIB = 1024 * 1024;
    private static final int REQUESTS = 1000;

    private final ArenaBlocks arena = new ArenaBlocks(new OffHeapSlabSource(), 16 * MIB, 16 * MIB, new PageRuns());
    private final List<Long> live = new ArrayList<>();

    @AfterEach
    void close() {
        live.forEach(arena::free);
        assertTrue(arena.isConsistent());
        arena.close();
    }

    @Test
    void aFullArenaRefusesWithoutKeepingAnybodyOut() {
        live.add(arena.allocate(12 * MIB, false, null, null));
        long before = arena.lockedAllCount();
        for (int i = 0; i < REQUESTS; i++) {
            assertEquals(0, tryAllocate(4 * MIB + 1));
        }
        assertEquals(before, arena.lockedAllCount());
        live.add(tryAllocate(4 * MIB));
        assertNotEquals(0, live.getLast());
    }

    @Test
    void holesThatAreTooShortAreLookedAtOnce() {
        for (int i = 0; i < 16; i++) {
            live.add(tryAllocate(MIB));
        }
        for (int i = 0; i < 8; i++) {
            arena.free(live.remove(i));
        }
        assertEquals(0, tryAllocate(3 * MIB));
        long before = arena.lockedAllCount();
        for (int i = 0; i < REQUESTS; i++) {
            assertEquals(0, tryAllocate(3 * MIB + i));
        }
        assertEquals(before, arena.lockedAllCount());
        arena.free(live.remove(0));
        live.add(tryAllocate(3 * MIB));
        assertNotEquals(0, live.getLast());
    }

    /** Half of all is free, in holes of one size; what is live between them is shorter than what is asked for, and longer. */
    @ParameterizedTest
    @ValueSource(longs = {MIB, 2 * MIB})
    void holesThatAreTooShortAreNotLookedAtAgainSinceSomethingWasFreed(long holeByteSize) {
        live.add(allocateUntilFull(holeByteSize));
        live.sort(null);
        for (int i = live.size() - 1; i >= 0; i -= 2) {
            arena.free(live.remove(i));
        }
        long before = arena.lockedAllCount();
        for (int i = 0; i < REQUESTS; i++) {
            long small = tryAllocate(10_000);
            long large = tryAllocate(100_000);
            arena.free(small);
            arena.free(large);
            assertEquals(0, tryAllocate(holeByteSize + holeByteSize / 4 * (1 + i % 3)));
        }
        assertEquals(before, arena.lockedAllCount());
        arena.free(live.removeLast());
        live.add(tryAllocate(2 * holeByteSize));
        assertNotEquals(0, live.getLast());
    }

    @Test
    void eachClassOfSmallBlocksIsLookedAtOnce() {
        for (long address = tryAllocate(64); address != 0; address = tryAllocate(64)) {
            live.add(address);
        }
        long before = arena.lockedAllCount();
        for (int i = 0; i < REQUESTS; i++) {
            assertEquals(0, tryAllocate(64));
        }
        assertEquals(before, arena.lockedAllCount());
        arena.free(live.removeLast());
        live.add(tryAllocate(64));
        assertNotEquals(0, live.getLast());
    }

    /** Its own, and this thread's, in its bins, its rooms and on their way to it. */
    @Test
    void whatAnotherThreadFreedBeforeIsThere() throws Exception {
        SynchronousQueue<Long> blocks = new SynchronousQueue<>();
        Thread other = Thread.ofPlatform().start(() -> {
            try {
                for (long address = blocks.take(); address != -1; address = blocks.take()) {
                    arena.free(address);
                    blocks.put(arena.allocate(100, false, null, null));
                }
            } catch (InterruptedException e) {
                throw new AssertionError(e);
            }
        });
        for (int i = 0; i < REQUESTS; i++) {
            long byteSize = i % 2 == 0 ? 15 * MIB : 50_000;
            long block = allocateUntilFull(byteSize);
            assertEquals(0, tryAllocate(byteSize));
            blocks.put(block);
            long small = blocks.poll(30, TimeUnit.SECONDS);
            long again = tryAllocate(byteSize);
            assertNotEquals(0, again, "byteSize=" + byteSize);
            arena.free(again);
            arena.free(small);
            live.forEach(arena::free);
            live.clear();
        }
        blocks.put(-1L);
        other.join();
    }

    @Test
    void busyThreadsAreLeftAlone() throws Exception {
        live.add(tryAllocate(12 * MIB));
        AtomicBoolean isDone = new AtomicBoolean();
        List<Thread> busy = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            busy.add(Thread.ofPlatform().start(() -> {
                while (!isDone.get()) {
                    long small = arena.allocate(10_000, false, null, null);
                    long large = arena.allocate(100_000, false, null, null);
                    arena.free(small);
                    arena.free(large);
                }
            }));
        }
        long before = arena.lockedAllCount();
        for (int i = 0; i < 100 * REQUESTS; i++) {
            assertEquals(0, tryAllocate(5 * MIB));
        }
        long locked = arena.lockedAllCount() - before;
        isDone.set(true);
        for (Thread thread : busy) {
            thread.join();
        }
        assertTrue(locked < REQUESTS, () -> "locked=" + locked);
    }

    /** The last block that there was room for. */
    private long allocateUntilFull(long byteSize) {
        long last = tryAllocate(byteSize);
        for (long next = tryAllocate(byteSize); next != 0; next = tryAllocate(byteSize)) {
            live.add(last);
            last = next;
        }
        return last;
    }

    private long tryAllocate(long byteSize) {
        return arena.allocate(byteSize, true, null, null);
    }
}
