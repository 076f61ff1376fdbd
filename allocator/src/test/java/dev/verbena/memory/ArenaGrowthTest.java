package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.heap.SizeClasses;

/** How an arena gets further slabs, from sources that are generous, stingy or wrong. */
class ArenaGrowthTest {
    private static final long MIB = 1024 * 1024;

    private final OffHeapSlabSource memory = new OffHeapSlabSource();

    @Property(tries = 100)
    void growsUntilTheBudgetAndNoFurther(
            @ForAll @Size(min = 1, max = 60) List<@IntRange(min = 1, max = 1_000_000) Integer> sizes) {
        long budget = 8 * MIB;
        try (TensorArena arena = TensorArena.create(memory, 100_000, budget)) {
            List<Tensor> tensors = new ArrayList<>();
            for (int size : sizes) {
                Tensor tensor = arena.tryAllocate(ElementType.UINT8, Shape.of(size));
                ArenaStatistics now = arena.statistics();
                assertTrue(now.slabByteSize() <= budget && now.slabByteSize() == memory.heldByteSize());
                if (tensor == null) {
                    long free = Math.max(now.largestFreeRunByteSize(), budget - now.slabByteSize());
                    assertTrue(free < SizeClasses.ceilToPage(size), "refused " + size + " with " + now);
                } else {
                    tensors.add(tensor);
                }
            }
            tensors.forEach(Tensor::close);
            ArenaStatistics now = arena.statistics();
            assertEquals(now.slabCount(), now.freeRunCount());
            assertTrue(arena.isConsistent());
        }
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void slabsGrowWithTheArena() {
        try (TensorArena arena = TensorArena.create(memory, 0, 1024 * MIB)) {
            List<Tensor> tensors = new ArrayList<>();
            for (int i = 0; i < 5_000; i++) {
                tensors.add(arena.allocate(ElementType.UINT8, Shape.of(100_000)));
            }
            ArenaStatistics now = arena.statistics();
            assertTrue(now.slabCount() < 40, now.toString());
            assertTrue(now.slabByteSize() < 1.3 * now.liveByteSize(), now.toString());
            tensors.forEach(Tensor::close);
        }
    }

    /** It was refused over slabs that were idle but too small, each of them. */
    @Test
    void idleSlabsMakeRoomForOneThatIsWanted() {
        try (TensorArena arena = TensorArena.create(memory, 0, 16 * MIB)) {
            Tensor one = arena.allocate(ElementType.UINT8, Shape.of(6 * MIB));
            Tensor other = arena.allocate(ElementType.UINT8, Shape.of(6 * MIB));
            one.close();
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(12 * MIB)));
            assertEquals(12 * MIB, memory.heldByteSize(), "nothing goes back in vain");
            other.close();
            for (int i = 0; i < 2; i++) {
                Tensor large = i == 0 ? arena.allocate(ElementType.UINT8, Shape.of(15 * MIB))
                        : arena.tryAllocate(ElementType.UINT8, Shape.of(16 * MIB));
                assertTrue(memory.heldByteSize() <= 16 * MIB);
                large.close();
            }
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(17 * MIB)));
            assertEquals(16 * MIB, memory.heldByteSize());
            assertTrue(arena.isConsistent());
        }
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void theFirstSlabStaysWhateverIsWanted() {
        try (TensorArena arena = TensorArena.create(memory, 4 * MIB, 16 * MIB)) {
            arena.allocate(ElementType.UINT8, Shape.of(8 * MIB)).close();
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(13 * MIB)));
            assertEquals(2, arena.statistics().slabCount());
            arena.allocate(ElementType.UINT8, Shape.of(12 * MIB)).close();
            assertEquals(16 * MIB, arena.statistics().slabByteSize());
            assertEquals(12 * MIB, arena.trim());
        }
    }

    /** Whatever was there before: what is idle is in nobody's way. */
    @Property(tries = 100)
    void whatFitsIntoTheBudgetIsNeverRefusedOverIdleSlabs(
            @ForAll @Size(min = 1, max = 30) List<@IntRange(min = 1, max = 8 << 20) Integer> sizes) {
        try (TensorArena arena = TensorArena.create(memory, 0, 8 * MIB)) {
            for (int size : sizes) {
                arena.allocate(ElementType.UINT8, Shape.of(size)).close();
                assertTrue(memory.heldByteSize() <= 8 * MIB);
            }
        }
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void takesWhatItNeedsFromASourceThatHasNoMore() {
        SlabSource stingy = new Wrapped(300_000);
        try (TensorArena arena = TensorArena.create(stingy, 0, 64 * MIB)) {
            Tensor fits = arena.allocate(ElementType.UINT8, Shape.of(290_000));
            assertEquals(290_816, arena.statistics().slabByteSize());
            OutOfArenaMemoryException refusal = assertThrows(OutOfArenaMemoryException.class,
                    () -> arena.allocate(ElementType.UINT8, Shape.of(310_000)));
            assertTrue(refusal.getMessage().contains("a further slab was refused: no more than 300000"),
                    refusal.getMessage());
            assertNotNull(refusal.getCause());
            assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(310_000)));
            fits.close();
        }
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void aRefusedFirstSlabIsReportedAsTheSourceSaysIt() {
        OutOfArenaMemoryException refusal = assertThrows(OutOfArenaMemoryException.class,
                () -> TensorArena.create(new Wrapped(4096), MIB, MIB));
        assertEquals("no more than 4096", refusal.getMessage());
    }

    @Test
    void aSlabOfMoreThanWasAskedIsUsedWithinTheBudget() {
        SlabSource generous = new Wrapped(Long.MAX_VALUE) {
            @Override
            public Slab acquire(long byteSizeMin) {
                return super.acquire(byteSizeMin + 3 * 4096);
            }
        };
        try (TensorArena arena = TensorArena.create(generous, 4096, 3 * 4096)) {
            assertEquals(3 * 4096, arena.statistics().slabByteSize());
        }
    }

    @Test
    void aWrongSlabIsGivenBackAndReported() {
        long before = memory.heldByteSize();
        SlabSource tooSmall = new Wrapped(Long.MAX_VALUE) {
            @Override
            public Slab acquire(long byteSizeMin) {
                return super.acquire(byteSizeMin - 4096);
            }
        };
        SlabSource misaligned = new Misaligned();
        for (SlabSource wrong : List.of(tooSmall, misaligned)) {
            String message = assertThrows(IllegalStateException.class, () -> TensorArena.create(wrong, MIB, MIB))
                    .getMessage();
            assertTrue(message.contains("byteSize=1048576"), message);
        }
        assertEquals(before, memory.heldByteSize());
    }

    /** Edge: it was given back only if the reason was want of memory. */
    @Test
    void aSlabThatCannotBeUsedIsGivenBackWhateverTheReason() {
        SlabSource wrong = new SlabSource() {
            private Slab real;

            @Override
            public Slab acquire(long byteSizeMin) {
                real = memory.acquire(byteSizeMin);
                return () -> {
                    throw new UnsupportedOperationException("no view of this memory");
                };
            }

            @Override
            public void release(Slab slab) {
                memory.release(real);
            }
        };
        assertThrows(UnsupportedOperationException.class, () -> TensorArena.create(wrong, MIB, MIB));
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void aSlabThatTheSourceDoesNotTakeBackIsKeptOfferedAgainAndSpokenOf() {
        Reluctant reluctant = new Reluctant();
        TensorArena arena = TensorArena.create(reluctant, MIB, 8 * MIB);
        arena.allocate(ElementType.UINT8, Shape.of(2 * MIB)).close();
        assertEquals(2, arena.statistics().slabCount());
        reluctant.inUse.add(arena.map().getFirst().address());
        for (int i = 0; i < 2; i++) {
            IllegalStateException refusal = assertThrows(IllegalStateException.class, arena::close);
            assertTrue(refusal.getMessage().contains("slabs=1 byteSize=")
                    && refusal.getMessage().contains("in use"), refusal.getMessage());
            assertInstanceOf(IllegalArgumentException.class, refusal.getCause());
            assertEquals(1, reluctant.held.size(), "the other one went back");
        }
        reluctant.inUse.clear();
        arena.close();
        arena.close();
        assertEquals(0, memory.heldByteSize());
    }

    @Test
    void slabsThatTheSourceDoesNotTakeBackCountAgainstTheBudget() {
        Reluctant reluctant = new Reluctant();
        try (TensorArena arena = TensorArena.create(reluctant, 0, 8 * MIB)) {
            arena.allocate(ElementType.UINT8, Shape.of(8 * MIB)).close();
            reluctant.inUse.addAll(reluctant.held);
            for (int i = 0; i < 3; i++) {
                assertThrows(IllegalStateException.class, arena::trim);
                String message = assertThrows(OutOfArenaMemoryException.class,
                        () -> arena.allocate(ElementType.UINT8, Shape.of(8 * MIB))).getMessage();
                assertTrue(message.contains(" unreleasedByteSize=8388608 "), message);
                assertNull(arena.tryAllocate(ElementType.UINT8, Shape.of(1)));
                assertEquals(8 * MIB, memory.heldByteSize());
            }
            reluctant.inUse.clear();
            arena.allocate(ElementType.UINT8, Shape.of(8 * MIB)).close();
            assertEquals(8 * MIB, memory.heldByteSize(), "offered again before the next slab");
            assertEquals(8 * MIB, arena.trim());
        }
    }

    @Test
    void aViewThatANativeCallUsesKeepsItsSlab() {
        try (TensorArena arena = TensorArena.create(memory, 0, 8 * MIB)) {
            Tensor tensor = arena.allocate(ElementType.UINT8, Shape.of(MIB));
            MemorySegment view = tensor.memory().asSlice(0, 2);
            tensor.close();
            assertInstanceOf(IllegalStateException.class, NativeCall.during(view, arena::trim));
            assertEquals(MIB, memory.heldByteSize());
            assertEquals(MIB, arena.trim());
            assertEquals(0, memory.heldByteSize());
        }
    }

    /** Does not take back what is in use, by address. */
    private final class Reluctant extends Wrapped {
        private final Set<Long> held = new HashSet<>();
        private final Set<Long> inUse = new HashSet<>();

        Reluctant() {
            super(Long.MAX_VALUE);
        }

        @Override
        public Slab acquire(long byteSizeMin) {
            Slab slab = super.acquire(byteSizeMin);
            held.add(slab.memory().address());
            return slab;
        }

        @Override
        public void release(Slab slab) {
            if (inUse.contains(slab.memory().address())) {
                throw new IllegalArgumentException("in use");
            }
            held.remove(slab.memory().address());
            super.release(slab);
        }
    }

    private class Wrapped implements SlabSource {
        private final long byteSizeMax;

        Wrapped(long byteSizeMax) {
            this.byteSizeMax = byteSizeMax;
        }

        @Override
        public Slab acquire(long byteSizeMin) {
            if (byteSizeMin > byteSizeMax) {
                throw new OutOfArenaMemoryException("no more than " + byteSizeMax);
            }
            return memory.acquire(byteSizeMin);
        }

        @Override
        public void release(Slab slab) {
            memory.release(slab);
        }
    }

    private final class Misaligned implements SlabSource {
        private Slab real;

        @Override
        public Slab acquire(long byteSizeMin) {
            real = memory.acquire(byteSizeMin + 4096);
            MemorySegment shifted = real.memory().asSlice(64, byteSizeMin);
            return () -> shifted;
        }

        @Override
        public void release(Slab slab) {
            memory.release(real);
        }
    }
}
