package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Blocks by address: what is given, and each misuse. */
class AddressBlocksTest {
    private static final long MIB = 1024 * 1024;
    private static final long[] SIZES = {0, 1, 64, 65, 1000, 5000, 40_000, 65_536, 65_537, 300_000};

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 16 * MIB);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void blocksAreAlignedApartAndUsedAgain() {
        Set<Long> first = new HashSet<>();
        for (long byteSize : SIZES) {
            long address = arena.allocateAddress(byteSize);
            assertEquals(0, address % 64);
            assertTrue(first.add(address));
        }
        assertEquals(SIZES.length, arena.statistics().liveCount());
        first.forEach(arena::freeAddress);
        long again = arena.allocateAddress(1000);
        assertTrue(first.contains(again), "the slot that was freed last");
        arena.freeAddress(again);
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 64, 5000, 40_000, 300_000})
    void aDoubleFreeIsCaught(long byteSize) {
        long address = arena.allocateAddress(byteSize);
        arena.freeAddress(address);
        RuntimeException refused = assertThrows(RuntimeException.class, () -> arena.freeAddress(address));
        assertTrue(refused.getMessage().contains("0x" + Long.toHexString(address)), refused::getMessage);
    }

    @ParameterizedTest
    @ValueSource(longs = {64, 5000, 40_000})
    void aDoubleFreeByAnotherThreadIsCaught(long byteSize) throws Exception {
        long address = arena.allocateAddress(byteSize);
        assertNull(freeElsewhere(address));
        assertInstanceOf(IllegalStateException.class, freeElsewhere(address));
        assertThrows(IllegalStateException.class, () -> arena.freeAddress(address));
    }

    private Throwable freeElsewhere(long address) throws InterruptedException {
        AtomicReference<Throwable> thrown = new AtomicReference<>();
        Thread.ofPlatform().start(() -> {
            try {
                arena.freeAddress(address);
            } catch (RuntimeException refused) {
                thrown.set(refused);
            }
        }).join();
        return thrown.get();
    }

    /** Edge: beyond 64 KiB, and once a run had gone back, it was an IllegalArgumentException. */
    @ParameterizedTest
    @ValueSource(longs = {0, 64, 40_000, 65_536, 65_537, 100_000, 2 * MIB})
    void aDoubleFreeIsTheSameAtEverySize(long byteSize) {
        long live = arena.allocateAddress(byteSize);
        long address = arena.allocateAddress(byteSize);
        arena.freeAddress(address);
        assertDoubleFree(address);
        arena.freeAddress(live);
        assertEquals(0, arena.statistics().liveCount(), "and no run is kept");
        assertDoubleFree(address);
    }

    private void assertDoubleFree(long address) {
        String message = assertThrows(IllegalStateException.class, () -> arena.freeAddress(address)).getMessage();
        assertTrue(message.startsWith("double free: the block at address=0x" + Long.toHexString(address)), message);
    }

    @Test
    void whatIsNoBlockIsRefused() {
        long slot = arena.allocateAddress(640);
        long large = arena.allocateAddress(300_000);
        for (long wrong : new long[]{slot + 1, slot + 64, large + 64, large + 4096, large + 300_000, 64, 0, -64}) {
            assertThrows(IllegalArgumentException.class, () -> arena.freeAddress(wrong));
        }
        assertEquals(2, arena.statistics().liveCount());
        arena.freeAddress(slot);
        arena.freeAddress(large);
    }

    @Test
    void sizesThatMakeNoSenseAreRefused() {
        assertThrows(IllegalArgumentException.class, () -> arena.allocateAddress(-1));
        String message = assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(17 * MIB))
                .getMessage();
        assertTrue(message.contains("a block byteSize=" + 17 * MIB) && message.contains("byteSizeMax=" + 16 * MIB),
                message);
        assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(Long.MAX_VALUE));
    }

    @Test
    void aClosedArenaHasNone() {
        TensorArena closed = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
        closed.freeAddress(closed.allocateAddress(100));
        closed.close();
        for (long byteSize : SIZES) {
            String message = assertThrows(IllegalStateException.class, () -> closed.allocateAddress(byteSize))
                    .getMessage();
            assertTrue(message.contains("closed arena"), message);
        }
    }

    @Test
    void nothingIsAllocatedInTheJavaHeap() {
        com.sun.management.ThreadMXBean threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long thread = Thread.currentThread().threadId();
        churn();
        long before = threads.getThreadAllocatedBytes(thread);
        int blocks = churn();
        long allocated = threads.getThreadAllocatedBytes(thread) - before;
        assertTrue(allocated < blocks / 10, "bytes=" + allocated + " for blocks=" + blocks);
    }

    private int churn() {
        long[] live = new long[SIZES.length];
        int rounds = 20_000;
        for (int round = 0; round < rounds; round++) {
            for (int i = 0; i < live.length; i++) {
                live[i] = arena.allocateAddress(SIZES[i]);
            }
            for (long address : live) {
                arena.freeAddress(address);
            }
        }
        return rounds * live.length;
    }

    /** Each thread takes over what the one before it left; this one has a heap too, since it frees. */
    @Test
    void theHeapOfADeadThreadIsUsedAgain() throws Exception {
        for (int round = 0; round < 200; round++) {
            List<Long> left = new ArrayList<>();
            Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 100; i++) {
                    left.add(arena.allocateAddress(1 + i * 64));
                }
            }).join();
            assertEquals(100, left.size());
            left.forEach(arena::freeAddress);
        }
        assertEquals(2, arena.blocks().ownHeapCount());
    }
}
