package dev.verbena.graph.run;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.stream.Collectors;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Graph;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.plan.TransferPlan.Protocol;
import dev.verbena.graph.plan.TransferPlan.Transfer;
import dev.verbena.graph.run.RandomGraph.Phase;
import dev.verbena.graph.run.RandomGraph.Ref;
import dev.verbena.graph.run.RandomGraph.Spec;
import dev.verbena.graph.run.RandomGraph.Traits;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.ArrivalMode;
import net.jqwik.api.EdgeCasesMode;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/**
 * Whatever the graph, its placement, and how it changes from run to run: what comes out, what is registered and what is copied is what
 * {@link RandomGraphOracle} says, neither less nor more.
 */
class RandomGraphProperties {
    private static final int PHASES = 3;
    private static final int RUNS_PER_PHASE = 3;
    /** The second is over the plan's slack, so that a tensor too many shows. */
    private static final int[] SMALL_AND_LARGE = {6, 20_000};
    private static final int[] LARGE = {20_000};
    private static final int[] SMALL_AND_VERY_LARGE = {6, 200_000};
    /** The plan's slack, of which a run has no need. */
    private static final long SLACK_SHARE = 16;
    private static final long SLACK_BYTE_SIZE = 1L << 13;

    /** What a run of a task was, to be compared when the oracle has been told how the nodes ran. */
    private record Seen(Map<Ref, int[]> values, Map<Ref, Shape> shapes, Set<String> registered,
            SessionStatistics statistics) {}

    /** What of a trial is as the oracle says, to the tensor. */
    private enum Known {
        ALL,
        /** Registered memory was too small: more is copied. */
        COPIES_AT_LEAST
    }

    /** A random graph and what was seen of it, task by task, run by run. */
    private static final class Trial implements AutoCloseable {
        final RandomGraph random;
        final RandomNodes nodes;
        final Graph graph;
        private final Map<String, List<Seen>> seen = new ConcurrentHashMap<>();
        private final TestAllocator feeds = new TestAllocator();

        Trial(RandomGraph random) {
            this.random = random;
            this.nodes = new RandomNodes(random);
            this.graph = nodes.graph(spec -> Dimension.symbol(spec.name()));
        }

        SessionOptions options(int depth) {
            return new SessionOptions(true, depth, Duration.ofSeconds(20)).withKernels(nodes.kernels());
        }

        /** @param tracer null where it is out of reach */
        void run(String task, Session session, SessionTracer tracer) {
            seen.put(task, new ArrayList<>());
            for (int i = 0; i < random.phases().size(); i++) {
                for (int k = 0; k < RUNS_PER_PHASE; k++) {
                    nodes.enter(task, i);
                    seen.get(task).add(run(task, session, tracer, random.phases().get(i)));
                }
            }
        }

        private Seen run(String task, Session session, SessionTracer tracer, Phase phase) {
            List<Ref> fetches = phase.fetches().stream()
                    .filter(fetch -> random.nodes().get(fetch.node()).task().equals(task)).toList();
            Map<String, Tensor> fed = nodes.feeds(task, phase, feeds);
            List<Tensor> fetched = session.run(fed, fetches.stream().map(this::output).toList(),
                    phase.targets().stream().map(target -> graph.node("n" + target)).toList());
            Map<Ref, int[]> values = new LinkedHashMap<>();
            Map<Ref, Shape> shapes = new LinkedHashMap<>();
            for (int i = 0; i < fetched.size(); i++) {
                values.put(fetches.get(i), TestOperations.ints(fetched.get(i)));
                shapes.put(fetches.get(i), fetched.get(i).shape());
                fetched.get(i).close();
            }
            fed.values().forEach(Tensor::close);
            return new Seen(values, shapes, tracer == null ? null : registered(task, tracer), session.statistics());
        }

        private Graph.Output output(Ref ref) {
            return RandomNodes.output(graph, ref);
        }

        private Set<String> registered(String task, SessionTracer tracer) {
            Set<String> names = new TreeSet<>();
            random.nodes().stream().filter(spec -> spec.task().equals(task)).forEach(spec -> {
                for (int ordinal = 0; ordinal < 4; ordinal++) {
                    names.add(spec.site(ordinal));
                }
            });
            names.removeIf(name -> !tracer.isSiteRegistered(name));
            return names;
        }

        void check(Known known) {
            check(known, TransferPlan.of(graph, 1));
        }

        /** @param plan that the sessions followed */
        void check(Known known, TransferPlan plan) {
            Set<String> lent = plan.transfers().stream().filter(transfer -> transfer.protocol() == Protocol.LOAN)
                    .map(transfer -> transfer.edge().output() + " " + transfer.edge().toTask())
                    .collect(Collectors.toSet());
            RandomGraphOracle oracle = new RandomGraphOracle(random, nodes::takeInPlace,
                    (ref, task) -> lent.contains(output(ref) + " " + task));
            Map<String, Long> copies = new LinkedHashMap<>();
            Map<String, Long> sends = new LinkedHashMap<>();
            for (int i = 0; i < PHASES * RUNS_PER_PHASE; i++) {
                RandomGraphOracle.Run expected = oracle.run(i / RUNS_PER_PHASE);
                for (String task : graph.tasks()) {
                    Seen actual = seen.get(task).get(i);
                    String where = task + " in run " + i + " of\n" + random;
                    actual.values.forEach((ref, value) -> checkFetched(expected, actual, ref, where));
                    SessionStatistics statistics = actual.statistics;
                    long copied = copies.merge(task, (long) expected.copies(task), Long::sum);
                    long counted = statistics.copiesFirst() + statistics.copiesLater();
                    boolean isAsMany = known == Known.COPIES_AT_LEAST ? counted >= copied : counted == copied;
                    assertTrue(isAsMany, () -> "copies=" + counted + " oracle=" + copied + ", " + where);
                    assertEquals(sends.merge(task, (long) expected.sends(task), Long::sum),
                            statistics.transfersStatic() + statistics.transfersLent() + statistics.transfersDynamic(),
                            () -> "sends, " + where);
                    assertEquals(expected.allocating.get(task), statistics.sitesSeen(), () -> "sites, " + where);
                    assertEquals(expected.registeredAllocating.get(task), statistics.sitesRegistered(),
                            () -> "sites registered, " + where);
                    if (actual.registered != null) {
                        assertEquals(expected.registered.get(task), actual.registered,
                                () -> "sites registered, " + where);
                    }
                }
            }
        }

        private void checkFetched(RandomGraphOracle.Run expected, Seen actual, Ref ref, String where) {
            assertArrayEquals(expected.values.get(ref), actual.values.get(ref), () -> ref + ", " + where);
            Shape shape = actual.shapes.get(ref);
            assertArrayEquals(expected.shapes.get(ref), shape.dimensions(), () -> "shape of " + ref + ", " + where);
            assertTrue(output(ref).type().shape().accepts(shape), () -> "inferred type of " + ref + ", " + where);
        }

        @Override
        public void close() {
            nodes.close();
            assertEquals(0, feeds.live(), "feeds stay the caller's");
        }
    }

    @Property(tries = 150)
    void everyRunIsAsTheOracleSays(@ForAll long seed, @ForAll @IntRange(min = 2, max = 40) int nodeCount,
            @ForAll @IntRange(min = 1, max = 4) int taskCount, @ForAll @IntRange(min = 1, max = 2) int depth,
            @ForAll boolean otherThread, @ForAll boolean isDynamic, @ForAll boolean isChanging) throws Exception {
        RandomGraph random = RandomGraph.of(seed,
                new Traits(nodeCount, taskCount, SMALL_AND_LARGE, isDynamic, isChanging, PHASES));
        try (Trial trial = new Trial(random)) {
            runOnLoopback(trial, depth, otherThread, Integer.MAX_VALUE, !isDynamic && !isChanging);
            trial.check(Known.ALL);
        }
    }

    @Property(tries = 50)
    void registeredMemoryThatIsTightCostsCopiesOnly(@ForAll long seed,
            @ForAll @IntRange(min = 2, max = 30) int nodeCount,
            @ForAll @IntRange(min = 2, max = 3) int taskCount, @ForAll @IntRange(max = 3) int registeredMax,
            @ForAll boolean otherThread, @ForAll boolean isDynamic) throws Exception {
        RandomGraph random = RandomGraph.of(seed,
                new Traits(nodeCount, taskCount, SMALL_AND_LARGE, isDynamic, true, PHASES));
        try (Trial trial = new Trial(random)) {
            runOnLoopback(trial, 1, otherThread, registeredMax, false);
            trial.check(Known.COPIES_AT_LEAST);
        }
    }

    /** Small graphs, whose large tensors are all there at the same time. */
    @Property(tries = 300)
    void thePlanHasRoomForAllThatIsThereAtOnce(@ForAll long seed, @ForAll @IntRange(min = 2, max = 9) int nodeCount,
            @ForAll @IntRange(min = 1, max = 2) int depth, @ForAll boolean otherThread) throws Exception {
        RandomGraph random = RandomGraph.of(seed, new Traits(nodeCount, 2, LARGE, false, false, PHASES));
        try (Trial trial = new Trial(random)) {
            runOnLoopback(trial, depth, otherThread, Integer.MAX_VALUE, true);
            trial.check(Known.ALL);
        }
    }

    private static void runOnLoopback(Trial trial, int depth, boolean otherThread, int registeredMax,
            boolean isPlanned) throws Exception {
        SessionOptions options = trial.options(depth);
        try (ExecutorService poller = Executors.newSingleThreadExecutor();
                LoopbackCluster cluster = new LoopbackCluster(trial.graph, options,
                        command -> complete(otherThread, poller, command), registeredMax)) {
            cluster.run((task, session) -> trial.run(task, session, cluster.tracers.get(task)));
            cluster.sessions.values().forEach(Session::close);
            cluster.sessions.keySet().forEach(task -> assertEquals(0, cluster.live(task), "leaks, " + task));
            for (String task : cluster.sessions.keySet()) {
                long planned = options.plan(trial.graph, false).plannedByteSize(task);
                long peak = cluster.registered.get(task).peakByteSize();
                long slots = slotByteSize(trial.graph, task, depth);
                long withSlack = peak == 0 ? 0 : peak + (peak - slots) / SLACK_SHARE + SLACK_BYTE_SIZE;
                assertTrue(!isPlanned || withSlack <= planned,
                        () -> "peak=" + peak + " planned=" + planned + ", " + task + " of\n" + trial.random);
            }
        }
    }

    /** What of registered memory a run does not allocate. */
    private static long slotByteSize(Graph graph, String task, int depth) {
        return TransferPlan.of(graph, depth).transfers().stream()
                .filter(transfer -> transfer.protocol() == Protocol.STATIC_PLACEMENT
                        && transfer.edge().toTask().equals(task))
                .mapToLong(transfer -> depth * transfer.byteSize()).sum();
    }

    @Property(tries = 20, edgeCases = EdgeCasesMode.NONE)
    void overRealDevicesTooInWhatThePlanHasRoomFor(@ForAll long seed,
            @ForAll @IntRange(min = 6, max = 24) int nodeCount,
            @ForAll @IntRange(min = 2, max = 3) int taskCount, @ForAll @IntRange(min = 1, max = 2) int depth,
            @ForAll ArrivalMode arrivalMode, @ForAll boolean isDynamic, @ForAll boolean lendsAll) throws Exception {
        RandomGraph random = RandomGraph.of(seed,
                new Traits(nodeCount, taskCount, SMALL_AND_VERY_LARGE, isDynamic, false, PHASES));
        try (Trial trial = new Trial(random)) {
            SessionOptions options = lendsAll ? trial.options(depth).withLending(1) : trial.options(depth);
            try (DeviceCluster cluster = new DeviceCluster(trial.graph, options, arrivalMode)) {
                cluster.run((task, session) -> trial.run(task, session, null));
            }
            trial.check(Known.ALL, options.plan(trial.graph, true));
        }
    }

    /** At once, or on another thread after a moment, so that completions and readers come in any order. */
    private static void complete(boolean otherThread, ExecutorService poller, Runnable command) {
        if (!otherThread) {
            command.run();
            return;
        }
        poller.execute(() -> {
            LockSupport.parkNanos(ThreadLocalRandom.current().nextInt(50_000));
            command.run();
        });
    }

    @Property(tries = 200)
    void whoKnowsMoreBeforeTheRunInfersMore(@ForAll long seed, @ForAll @IntRange(min = 2, max = 60) int nodeCount,
            @ForAll boolean isDynamic) {
        RandomGraph random = RandomGraph.of(seed, new Traits(nodeCount, 3, new int[]{1, 6, 50}, isDynamic, true, 1));
        Map<Integer, Integer> feeds = random.phases().getFirst().feeds();
        try (RandomNodes nodes = new RandomNodes(random)) {
            Graph unknown = nodes.graph(spec -> Dimension.unknown(spec.name(), "nobody knows"));
            Graph symbolic = nodes.graph(spec -> Dimension.symbol(spec.name()));
            Graph known = nodes.graph(spec -> Dimension.of(feeds.get(spec.index())));
            Map<Ref, Boolean> isOpen = new LinkedHashMap<>();
            for (Spec spec : random.nodes()) {
                for (int i = 0; i < spec.kind().outputCount(); i++) {
                    Ref ref = new Ref(spec.index(), i);
                    isOpen.put(ref, isOpen(spec, isOpen));
                    TensorType most = RandomNodes.output(known, ref).type();
                    for (Graph less : List.of(unknown, symbolic)) {
                        TensorType type = RandomNodes.output(less, ref).type();
                        assertEquals(!isOpen.get(ref), type.isStatic(), () -> ref + " of\n" + random);
                        checkRefines(type.shape(), most.shape(), () -> ref + " of\n" + random);
                    }
                }
            }
            for (Transfer transfer : TransferPlan.of(symbolic, 1).transfers()) {
                if (transfer.edge().isControl()) {
                    assertEquals(Protocol.STATIC_PLACEMENT, transfer.protocol(), () -> transfer + " of\n" + random);
                    continue;
                }
                Graph.Output output = transfer.edge().output();
                Ref ref = new Ref(Integer.parseInt(output.node().name().substring(1)), output.index());
                assertEquals(isOpen.get(ref) ? Protocol.DYNAMIC_ALLOCATION : Protocol.STATIC_PLACEMENT,
                        transfer.protocol(), () -> ref + " of\n" + random);
            }
        }
    }

    /** Whether only the run tells how many elements it has. */
    private static boolean isOpen(Spec spec, Map<Ref, Boolean> isOpen) {
        return switch (spec.kind()) {
            case CONSTANT, VARIABLE, FEED -> spec.isDynamicFeed();
            case KEEP -> true;
            case CONCAT -> isOpen.get(spec.inputs().get(0)) || isOpen.get(spec.inputs().get(1));
            default -> isOpen.get(spec.inputs().getFirst());
        };
    }

    private static void checkRefines(SymbolicShape less, SymbolicShape more,
            Supplier<String> where) {
        assertEquals(less.rank(), more.rank(), where);
        for (int i = 0; i < less.rank(); i++) {
            if (less.dimension(i).isKnown()) {
                assertEquals(less.dimension(i), more.dimension(i), where);
            }
        }
        assertTrue(!more.isKnown() || less.accepts(more.toShape()), where);
    }
}
