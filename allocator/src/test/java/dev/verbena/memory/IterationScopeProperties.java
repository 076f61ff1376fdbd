package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

import dev.verbena.memory.ScopeActor.Kind;
import dev.verbena.memory.ScopeActor.Step;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tuple;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** Iterations of several threads, each ended by a reset, the last by a close, against the model after each. */
class IterationScopeProperties {
    private static final long MIB = 1024 * 1024;

    @Property(tries = 300)
    void iterationsAreAsTheModelSays(@ForAll("iterations") List<List<List<Step>>> iterations) throws Exception {
        run(iterations, 256 * MIB, 64 * 1024, false);
    }

    @Property(tries = 300)
    void alsoWhereMemoryIsShort(@ForAll("iterations") List<List<List<Step>>> iterations) throws Exception {
        run(iterations, MIB / 4, 64 * 1024, true);
    }

    /** Every request that is larger than an eighth of a page has a block of its own. */
    @Property(tries = 200)
    void alsoOfBlocksOfAPage(@ForAll("iterations") List<List<List<Step>>> iterations) throws Exception {
        run(iterations, 256 * MIB, 1, false);
    }

    @Example
    void theModelSeesAnOverlap() {
        ScopeModel model = new ScopeModel();
        model.take(1000, 100);
        model.take(1100, 0);
        for (long start : new long[]{1100, 1099, 1000, 999, 950}) {
            assertThrows(AssertionError.class, () -> model.take(start, 60));
        }
        model.take(1101, 60);
        assertEquals(161, model.byteSize());
    }

    /** Whatever the iterations before needed: what they hold idle is not missing. */
    @Property(tries = 300)
    void whatFitsIntoTheArenaFitsIntoEachIteration(
            @ForAll @Size(min = 1, max = 20) List<@IntRange(min = 1, max = (int) MIB) Integer> sizes) {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, MIB);
                IterationScope scope = arena.scope(1)) {
            for (int size : sizes) {
                scope.allocate(size).fill((byte) 1);
                scope.reset();
            }
        }
    }

    private static void run(List<List<List<Step>>> iterations, long byteSizeMax, long blockByteSize, boolean isShort)
            throws Exception {
        OffHeapSlabSource source = new OffHeapSlabSource();
        try (TensorArena arena = TensorArena.create(source, 0, byteSizeMax)) {
            IterationScope scope = arena.scope(blockByteSize);
            for (int i = 0; i < iterations.size(); i++) {
                boolean isLast = i == iterations.size() - 1;
                runIteration(arena, scope, iterations.get(i), isLast ? scope::close : scope::reset, isShort);
            }
            assertEquals(0, scope.heldByteSize());
            assertEquals(0, arena.statistics().liveCount());
        }
        assertEquals(0, source.heldByteSize());
    }

    private static void runIteration(TensorArena arena, IterationScope scope, List<List<Step>> threads, Runnable end,
            boolean isShort) throws Exception {
        ScopeModel model = new ScopeModel();
        List<ScopeActor> actors = threads.stream().map(steps -> new ScopeActor(scope, model, steps, isShort)).toList();
        try (ExecutorService executor = Executors.newFixedThreadPool(threads.size())) {
            for (Future<Void> done : executor.invokeAll(actors)) {
                done.get();
            }
        }
        actors.forEach(ScopeActor::checkContents);
        checkFigures(arena, scope, model);
        if (model.pins() > 0) {
            String message = assertThrows(IllegalStateException.class, end::run).getMessage();
            assertTrue(message.contains("pins=" + model.pins() + ";"), message);
            actors.forEach(ScopeActor::checkContents);
            actors.forEach(ScopeActor::unpinAll);
        }
        end.run();
        actors.forEach(ScopeActor::checkDead);
        assertTrue(arena.isConsistent());
    }

    private static void checkFigures(TensorArena arena, IterationScope scope, ScopeModel model) {
        assertTrue(arena.isConsistent());
        assertTrue(scope.heldByteSize() >= model.byteSize(), "held");
        assertTrue(arena.statistics().liveByteSize() >= scope.heldByteSize(), "live");
    }

    @Provide
    Arbitrary<Integer> size() {
        return Arbitraries.frequencyOf(
                Tuple.of(1, Arbitraries.just(0)),
                Tuple.of(6, Arbitraries.integers().between(1, 2000)),
                Tuple.of(3, Arbitraries.integers().between(2001, 64 * 1024)),
                Tuple.of(1, Arbitraries.integers().between(64 * 1024 + 1, 300_000)));
    }

    @Provide
    Arbitrary<List<Step>> steps() {
        Arbitrary<Kind> kind = Arbitraries.frequency(
                Tuple.of(6, Kind.TENSOR), Tuple.of(2, Kind.TENSOR_WITH_OPTIONS), Tuple.of(4, Kind.SEGMENT),
                Tuple.of(3, Kind.CLOSE), Tuple.of(1, Kind.PIN),
                Tuple.of(2, Kind.UNPIN));
        return Combinators.combine(kind, size(), Arbitraries.integers().between(0, 17),
                Arbitraries.integers().between(0, 1000)).as(Step::new).list().ofMinSize(1).ofMaxSize(60);
    }

    @Provide
    Arbitrary<List<List<List<Step>>>> iterations() {
        return steps().list().ofMinSize(1).ofMaxSize(3).list().ofMinSize(1).ofMaxSize(4);
    }
}
