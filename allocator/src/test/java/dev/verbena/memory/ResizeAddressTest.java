package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.memory.heap.SizeClasses;

/** Blocks by address that grow and shrink where they are. */
class ResizeAddressTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    @Test
    void aLargeBlockGrowsIntoWhatIsFreeBehindIt() {
        long block = arena.allocateAddress(MIB);
        assertTrue(arena.resizeAddress(block, 3 * MIB));
        assertEquals(3 * MIB, arena.statistics().liveByteSize());
        assertFalse(arena.resizeAddress(block, 4 * MIB + 1));
        assertTrue(arena.resizeAddress(block, 4 * MIB), "to the end of the slab");
        assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(1));
        arena.freeAddress(block);
    }

    @Test
    void aLargeBlockDoesNotGrowIntoItsNeighbour() {
        long block = arena.allocateAddress(MIB);
        long neighbour = arena.allocateAddress(MIB);
        assertFalse(arena.resizeAddress(block, MIB + 1));
        arena.freeAddress(neighbour);
        assertTrue(arena.resizeAddress(block, MIB + 1));
        arena.freeAddress(block);
    }

    @Test
    void whatALargeBlockGivesUpIsForOthers() {
        long block = arena.allocateAddress(4 * MIB);
        assertTrue(arena.resizeAddress(block, 100_000));
        long rest = arena.allocateAddress(4 * MIB - SizeClasses.ceilToPage(100_000));
        assertEquals(block + SizeClasses.ceilToPage(100_000), rest);
        arena.freeAddress(rest);
        assertTrue(arena.resizeAddress(block, 0), "a page stays");
        assertEquals(4096, arena.statistics().liveByteSize());
        assertEquals(4 * MIB - 4096, arena.statistics().largestFreeRunByteSize(), "what it gave up lies together");
        arena.freeAddress(block);
    }

    @Test
    void aSmallBlockHasItsSizeClass() {
        long block = arena.allocateAddress(1025);
        assertTrue(arena.resizeAddress(block, 1152));
        assertTrue(arena.resizeAddress(block, 0));
        assertFalse(arena.resizeAddress(block, 1153));
        arena.freeAddress(block);
    }

    @Test
    void anotherThreadsBlockTooIsResized() throws Exception {
        long[] blocks = new long[2];
        Thread.ofPlatform().start(() -> {
            blocks[0] = arena.allocateAddress(1000);
            blocks[1] = arena.allocateAddress(MIB);
        }).join();
        assertTrue(arena.resizeAddress(blocks[0], 1024));
        assertTrue(arena.resizeAddress(blocks[1], 2 * MIB));
        arena.freeAddress(blocks[0]);
        arena.freeAddress(blocks[1]);
    }

    @Test
    void whatIsNoBlockIsRefused() {
        long small = arena.allocateAddress(1000);
        long large = arena.allocateAddress(MIB);
        assertThrows(IllegalArgumentException.class, () -> arena.resizeAddress(small, -1));
        for (long wrong : new long[]{0, small + 64, small + 1024, large + 4096, large + MIB}) {
            assertThrows(IllegalArgumentException.class, () -> arena.resizeAddress(wrong, 10));
        }
        arena.freeAddress(small);
        arena.freeAddress(large);
        assertThrows(IllegalArgumentException.class, () -> arena.resizeAddress(small, 10));
        assertThrows(IllegalArgumentException.class, () -> arena.resizeAddress(large, 10));
    }

    @Test
    void inADebugArenaAGuardIsBehindEveryBlock() {
        try (DebugArena debug = DebugArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB)) {
            long block = debug.allocateAddress(MIB);
            assertFalse(debug.resizeAddress(block, MIB + 1));
            assertTrue(debug.resizeAddress(block, MIB - 1));
            debug.freeAddress(block);
            long aligned = debug.allocateAddress(5000, 4096);
            assertEquals(0, aligned % 4096);
            debug.check();
            debug.freeAddress(aligned);
            Tensor tensor = debug.allocate(ElementType.UINT8, Shape.of(1000));
            assertEquals(null, debug.tryResize(tensor, Shape.of(1001)));
            tensor.close();
        }
    }
}
