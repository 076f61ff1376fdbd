package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;

import dev.verbena.memory.ArenaActor.Kind;
import dev.verbena.memory.ArenaActor.Step;
import dev.verbena.memory.heap.SizeClasses;

/** The arena against a model: several threads, all ways of freeing, plenty of memory and too little. */
class TensorArenaProperties {
    private static final long MIB = 1024 * 1024;

    @Property(tries = 600)
    void threadsNeverShareMemory(@ForAll("threads") List<List<Step>> threads) throws Exception {
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 4 * MIB, 256 * MIB)) {
            ArenaScript.run(arena, threads);
        }
        assertEquals(0, source.heldByteSize());
    }

    @Property(tries = 600)
    void noMoreThanTheBudgetIsEverUsed(@ForAll("threads") List<List<Step>> threads) throws Exception {
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 0, MIB)) {
            ArenaScript.run(arena, threads);
            assertTrue(arena.statistics().slabByteSize() <= MIB);
            assertTrue(source.heldByteSize() <= MIB);
        }
        assertEquals(0, source.heldByteSize());
    }

    /** Its equations hold after every step, and figures are the model's at the end of any. */
    @Property(tries = 300)
    void oneThreadIsExactlyTheModelAfterEveryStep(@ForAll("steps") List<Step> steps) throws Exception {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 4 * MIB)) {
            for (int end = 1; end <= steps.size(); end += 7) {
                ArenaScript.run(arena, List.of(steps.subList(0, end)));
            }
        }
    }

    /** Whoever is refused gets memory as soon as as much of the same kind is free, and a refusal is never for want of a drained cache. */
    @Property(tries = 600)
    void refusesOnlyWhatDoesNotFit(@ForAll("sizes") List<Integer> sizes, @ForAll("size") int size) {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB)) {
            List<Tensor> live = new ArrayList<>();
            for (int i = 0; live.size() < 20_000; i++) {
                Tensor tensor = arena.tryAllocate(ElementType.UINT8, Shape.of(sizes.get(i % sizes.size())));
                if (tensor == null) {
                    break;
                }
                live.add(tensor);
            }
            List<Tensor> fill = new ArrayList<>();
            for (Tensor tensor = one(arena, size); tensor != null; tensor = one(arena, size)) {
                fill.add(tensor);
            }
            long pages = SizeClasses.isSmall(size) ? SizeClasses.runPagesMin(SizeClasses.indexOf(size))
                    : SizeClasses.pagesOf(size);
            assertTrue(arena.statistics().largestFreeRunByteSize() < pages * SizeClasses.PAGE_BYTE_SIZE);
            assertTrue(arena.isConsistent());
            if (!fill.isEmpty()) {
                fill.remove(fill.size() / 2).close();
                Tensor again = one(arena, size);
                assertNotNull(again, "as much as was just freed");
                fill.add(again);
                assertNull(one(arena, size), "no more than was freed");
            }
            live.forEach(Tensor::close);
            fill.forEach(Tensor::close);
            Tensor all = arena.allocate(ElementType.UINT8, Shape.of(MIB));
            assertEquals(MIB, arena.statistics().liveByteSize());
            all.close();
            assertTrue(arena.isConsistent());
        }
    }

    private static Tensor one(TensorArena arena, int size) {
        return arena.tryAllocate(ElementType.UINT8, Shape.of(size));
    }

    @Provide
    Arbitrary<Integer> size() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.just(0)),
                Tuple.of(4, Arbitraries.integers().between(1, 1024)),
                Tuple.of(4, Arbitraries.integers().between(1025, 32 * 1024)),
                Tuple.of(2, Arbitraries.integers().between(32 * 1024 + 1, 300_000)),
                Tuple.of(1, Arbitraries.integers().between(300_001, 5 << 20)),
                Tuple.of(2, Arbitraries.of(64, 4096, 32 * 1024, 32 * 1024 + 1, 64 * 1024)));
    }

    @Provide
    Arbitrary<List<Integer>> sizes() {
        return size().list().ofMinSize(1).ofMaxSize(40);
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Kind> kind = Arbitraries.frequency(
                Tuple.of(6, Kind.ALLOCATE), Tuple.of(3, Kind.ALLOCATE_WITH_OPTIONS), Tuple.of(4, Kind.ALLOCATE_ADDRESS),
                Tuple.of(2, Kind.ALLOCATE_ALIGNED),
                Tuple.of(4, Kind.FREE), Tuple.of(2, Kind.RESIZE), Tuple.of(1, Kind.HAND_OVER),
                Tuple.of(1, Kind.FREE_FOREIGN), Tuple.of(1, Kind.CLOSE_PINNED), Tuple.of(1, Kind.UNPIN),
                Tuple.of(2, Kind.ALLOCATE_IN_SCOPE), Tuple.of(1, Kind.END_SCOPE), Tuple.of(1, Kind.TRIM));
        return Combinators.combine(kind, size(), Arbitraries.integers().between(0, 1000)).as(Step::new)
                .list().ofMinSize(1).ofMaxSize(120);
    }

    @Provide
    Arbitrary<List<List<Step>>> threads() {
        return steps().list().ofMinSize(2).ofMaxSize(4);
    }
}
