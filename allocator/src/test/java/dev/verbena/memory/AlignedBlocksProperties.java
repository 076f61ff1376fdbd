package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.LongRange;
import net.jqwik.api.constraints.Size;

import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.SizeClasses;

/** Blocks with an alignment that was asked for: apart, aligned, and freed by the address that was given. */
class AlignedBlocksProperties {
    private static final long MIB = 1024 * 1024;

    @Property(tries = 300)
    void blocksAreAlignedApartAndFreedByTheirAddress(
            @ForAll @Size(min = 1, max = 40) List<@LongRange(min = 0, max = 150_000) Long> byteSizes,
            @ForAll @Size(min = 1, max = 10) List<@IntRange(min = 0, max = 21) Integer> shifts) {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 512 * MIB)) {
            TreeMap<Long, Long> live = new TreeMap<>();
            for (int i = 0; i < byteSizes.size(); i++) {
                long byteSize = byteSizes.get(i);
                long alignment = 1L << shifts.get(i % shifts.size());
                long address = arena.allocateAddress(byteSize, alignment);
                assertEquals(0, address % alignment, "byteSize=" + byteSize + " alignment=" + alignment);
                var below = live.floorEntry(address);
                assertTrue(below == null || below.getKey() + below.getValue() <= address, "overlap below");
                var above = live.ceilingEntry(address);
                assertTrue(above == null || address + byteSize <= above.getKey(), "overlap above");
                MemorySegment.ofAddress(address).reinterpret(byteSize).fill((byte) i);
                live.put(address, Math.max(byteSize, 1));
            }
            assertTrue(arena.isConsistent());
            List<Long> addresses = new ArrayList<>(live.keySet());
            addresses.forEach(arena::freeAddress);
            assertEquals(0, arena.statistics().liveCount());
            for (long address : addresses) {
                assertThrows(RuntimeException.class, () -> arena.freeAddress(address), "double free");
            }
        }
    }

    /** Whoever rounds well takes no more than the next multiple of the alignment, up to a page. */
    @Property(tries = 200)
    void upToAPageOnlyTheSizeIsRounded(@ForAll @LongRange(min = 1, max = 70_000) long byteSize,
            @ForAll @IntRange(min = 6, max = 12) int shift) {
        long alignment = 1L << shift;
        long rounded = SizeClasses.usableByteSize(SizeClasses.ceil(byteSize, alignment));
        assertEquals(0, rounded % alignment);
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            long address = arena.allocateAddress(byteSize, alignment);
            assertEquals(rounded, arena.statistics().liveByteSize());
            arena.freeAddress(address);
        }
    }

    @Example
    void wrongAlignmentsAreRefused() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            for (long alignment : new long[]{Long.MIN_VALUE, -64, 0, 3, 96, 1L << 31, 1L << 62}) {
                String message = assertThrows(IllegalArgumentException.class,
                        () -> arena.allocateAddress(1, alignment)).getMessage();
                assertTrue(message.contains("alignment=" + alignment), message);
            }
            assertThrows(IllegalArgumentException.class, () -> arena.allocateAddress(-1, 64));
            for (long alignment = 1; alignment <= ArenaBlocks.ALIGNMENT_MAX; alignment *= 2) {
                long asked = alignment;
                assertThrows(OutOfArenaMemoryException.class, () -> arena.allocateAddress(Long.MAX_VALUE, asked));
                assertThrows(OutOfArenaMemoryException.class,
                        () -> arena.allocateAddress(Long.MAX_VALUE - asked, asked));
                assertEquals(0, arena.blocks().allocateAligned(2 * MIB, asked, true));
            }
        }
    }

    @Example
    void beyondAPageABlockHasItsPagesAndNoMore() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 64 * MIB, 64 * MIB)) {
            for (long alignment = 8192; alignment <= 16 * MIB; alignment *= 2) {
                long odd = arena.allocateAddress(17 * 4096);
                long address = arena.allocateAddress(100_000, alignment);
                assertEquals(17 * 4096 + 25 * 4096, arena.statistics().liveByteSize());
                assertTrue(arena.isConsistent());
                assertThrows(IllegalArgumentException.class, () -> arena.freeAddress(address + 4096));
                arena.freeAddress(odd);
                assertTrue(arena.resizeAddress(address, 3 * MIB));
                assertTrue(arena.resizeAddress(address, 5000));
                assertEquals(8192, arena.statistics().liveByteSize());
                arena.freeAddress(address);
                assertThrows(IllegalStateException.class, () -> arena.freeAddress(address));
                assertEquals(1, arena.statistics().freeRunCount(), "what lay in front is one with the rest");
            }
        }
    }

    @Example
    void aHoleThatIsAlignedByItselfIsUsed() {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 4 * MIB, 4 * MIB)) {
            long aligned = arena.allocateAddress(MIB, MIB);
            List<Long> others = new ArrayList<>();
            while (arena.statistics().freeByteSize() > 0) {
                others.add(arena.allocateAddress(arena.statistics().largestFreeRunByteSize()));
            }
            arena.freeAddress(aligned);
            assertEquals(aligned, arena.allocateAddress(MIB, MIB));
            arena.freeAddress(aligned);
            others.forEach(arena::freeAddress);
        }
    }
}
