package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Slabs on which nothing is live go back. */
class ArenaTrimTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource source = new OffHeapSlabSource();

    @Test
    void emptySlabsGoBackAndCanComeAgain() {
        try (TensorArena arena = TensorArena.create(source, 0, 64 * MIB)) {
            for (int round = 0; round < 3; round++) {
                List<Long> blocks = fill(arena, 40);
                assertTrue(source.heldByteSize() >= 40 * MIB);
                blocks.forEach(arena::freeAddress);
                assertEquals(source.heldByteSize(), arena.trim());
                assertEquals(0, source.heldByteSize());
                assertEquals(0, arena.statistics().slabByteSize());
                assertTrue(arena.isConsistent());
            }
            assertEquals(0, arena.trim());
        }
    }

    @Test
    void aSlabWithALiveBlockStays() {
        try (TensorArena arena = TensorArena.create(source, 0, 64 * MIB)) {
            List<Long> blocks = fill(arena, 40);
            long last = blocks.removeLast();
            blocks.forEach(arena::freeAddress);
            assertTrue(arena.trim() > 0);
            assertEquals(1, arena.statistics().slabCount());
            assertTrue(arena.isConsistent());
            List<Long> again = fill(arena, 40);
            assertTrue(arena.isConsistent());
            again.forEach(arena::freeAddress);
            arena.freeAddress(last);
            assertEquals(source.heldByteSize(), arena.trim());
        }
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void theFirstSlabOfAPlannedArenaStays() {
        try (TensorArena arena = TensorArena.create(source, 2 * MIB, 64 * MIB)) {
            fill(arena, 20).forEach(arena::freeAddress);
            assertTrue(arena.trim() > 0);
            assertEquals(2 * MIB, source.heldByteSize());
            arena.freeAddress(arena.allocateAddress(2 * MIB));
            assertEquals(2 * MIB, source.heldByteSize());
        }
    }

    @Test
    void whatOtherThreadsHaveIdleOrFreedIsTakenFromThem() throws Exception {
        try (TensorArena arena = TensorArena.create(source, 0, 64 * MIB)) {
            List<Long> blocks = new ArrayList<>();
            Thread.ofPlatform().start(() -> {
                for (int i = 0; i < 100; i++) {
                    blocks.add(arena.allocateAddress(10_000));
                    arena.freeAddress(arena.allocateAddress(50_000));
                }
            }).join();
            blocks.forEach(arena::freeAddress);
            assertEquals(source.heldByteSize(), arena.trim());
            assertEquals(0, source.heldByteSize());
        }
    }

    private static List<Long> fill(TensorArena arena, long mib) {
        List<Long> blocks = new ArrayList<>();
        for (int i = 0; i < mib * 2; i++) {
            blocks.add(arena.allocateAddress(i % 2 == 0 ? MIB - 50_000 : 50_000));
        }
        return blocks;
    }
}
