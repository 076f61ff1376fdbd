package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.fill;
import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Function;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TransferException;

/** Sessions over real devices. */
class DeviceSessionTest {
    private static final int ITERATIONS = 5;

    private static SessionOptions options(boolean tracing, int depth) {
        return new SessionOptions(tracing, depth, Duration.ofSeconds(20));
    }

    /** One server with two variables, two workers that each read both and send a change of each. */
    private static Graph parameterServer(long elements) {
        Graph graph = new Graph();
        for (String name : List.of("v", "w")) {
            Graph.Node variable = graph.add(name, "server:0",
                    TestOperations.variable(new long[]{elements}, name.hashCode(), 3, 5));
            Graph.Node[] changes = new Graph.Node[2];
            for (int worker = 0; worker < 2; worker++) {
                Graph.Node alias = graph.add(name + "-alias-" + worker, "worker:" + worker, new Identity(),
                        variable.output());
                changes[worker] = graph.add(name + "-change-" + worker, "worker:" + worker, new Mix(worker + 1, true),
                        alias.output());
            }
            Graph.Node sum = graph.add(name + "-sum", "server:0", new Mix(9, true), changes[0].output(),
                    changes[1].output());
            graph.add(name + "-apply", "server:0", new AddTo(), variable.output(), sum.output());
        }
        return graph;
    }

    private static List<Graph.Node> targets(Graph graph) {
        return List.of(graph.node("v-apply"), graph.node("w-apply"));
    }

    private static List<int[]> variablesAfter(Graph graph, Session session) {
        List<Tensor> fetched = List.of();
        for (int i = 0; i < ITERATIONS; i++) {
            fetched.forEach(Tensor::close);
            fetched = session.run(Map.of(), List.of(graph.node("v").output(), graph.node("w").output()),
                    targets(graph));
        }
        List<int[]> values = fetched.stream().map(TestOperations::ints).toList();
        fetched.forEach(Tensor::close);
        return values;
    }

    @Test
    void whomSetUpWaitsForIsToldByNameAndAddress() throws Exception {
        Graph graph = parameterServer(4);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> session.run(Map.of(), List.of(), targets(graph)));
            String server = " at " + cluster.endpoints.get("server:0") + " for ";
            List<String> ofWorker = cluster.heard.stream().filter(line -> line.startsWith("worker:1 ")).toList();
            assertEquals(List.of("worker:1 awaits server:0" + server + "30 s",
                    "worker:1 awaits server:0" + server + "20 s", "worker:1 goes on"), ofWorker.subList(0, 3));
            assertEquals("worker:1 goes on", ofWorker.getLast());
            assertTrue(cluster.heard.stream().anyMatch(line -> line.startsWith("server:0 awaits worker:0 at "
                    + cluster.endpoints.get("worker:0"))), cluster.heard::toString);
        }
    }

    @ParameterizedTest
    @CsvSource({"1, true, AUTO, 1", "1000, true, TAIL, 1", "1000, false, AUTO, 1", "700001, true, AUTO, 2",
            "700001, false, IMMEDIATE, 2", "1000, true, IMMEDIATE, 3"})
    void manyTasksComputeWhatOneDoes(long elements, boolean tracing, ArrivalMode mode, int depth) throws Exception {
        Graph graph = parameterServer(elements);
        List<int[]> expected;
        try (Session local = Sessions.local(graph, options(tracing, depth))) {
            expected = variablesAfter(graph, local);
            assertEquals(0, local.statistics().transfersStatic());
        }
        try (DeviceCluster cluster = new DeviceCluster(graph, options(tracing, depth), mode)) {
            cluster.run((task, session) -> {
                if (task.equals("server:0")) {
                    List<int[]> actual = variablesAfter(graph, session);
                    assertArrayEquals(expected.get(0), actual.get(0));
                    assertArrayEquals(expected.get(1), actual.get(1));
                } else {
                    for (int i = 0; i < ITERATIONS; i++) {
                        session.run(Map.of(), List.of(), targets(graph));
                    }
                }
            });
            SessionStatistics server = cluster.statistics.get("server:0");
            assertEquals(4 * ITERATIONS, server.transfersStatic() + server.transfersLent());
            boolean isLent = tracing && elements > 100_000;
            assertEquals(isLent ? 4 * ITERATIONS : 0, server.transfersLent());
            // Each of both variables once, to however many workers it goes.
            assertEquals(2, server.copiesFirst());
            assertEquals(tracing ? 0 : 2 * (ITERATIONS - 1), server.copiesLater());
            assertEquals(tracing ? 2 : 0, server.sitesRegistered());
            assertEquals(4 * elements * Integer.BYTES, server.crossingByteSize());
            assertEquals(options(tracing, depth).plan(graph, true).plannedByteSize("server:0"),
                    server.plannedByteSize());
            // A worker changes the variable where it arrived, in its slot, and sends it from there; one that is lent it changes elsewhere.
            SessionStatistics worker = cluster.statistics.get("worker:1");
            assertEquals(2 * ITERATIONS, worker.transfersStatic());
            assertEquals(tracing ? isLent ? 2 : 0 : 2 * ITERATIONS, worker.copiesFirst() + worker.copiesLater());
            assertEquals(server.copiesFirst() + server.copiesLater(),
                    cluster.devices.get("server:0").statistics().copies());
        }
    }

    /** In the run that learns, too, however many tasks a tensor goes to. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatGoesToManyTasksTakesNoMoreThanWasPlanned(boolean tracing) throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{1 << 20}, 1, 2, 3));
        List<Graph.Node> sinks = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            sinks.add(graph.add("sink" + i, "b" + i,
                    new Effect("See", context -> assertEquals(2, ints(context.input(0))[1])), c.output()));
        }
        try (DeviceCluster cluster = new DeviceCluster(graph, options(tracing, 1), ArrivalMode.AUTO)) {
            RdmaDevice device = cluster.devices.get("a");
            // Connections take memory of their own, once.
            cluster.run((task, session) -> session.run(Map.of(), List.of(), sinks));
            long copies = device.statistics().copies();
            List<Long> further = new ArrayList<>();
            cluster.run((task, session) -> {
                long before = device.statistics().registeredByteSize();
                session.run(Map.of(), List.of(), sinks);
                session.run(Map.of(), List.of(), sinks);
                if (task.equals("a")) {
                    further.add(device.statistics().registeredByteSize() - before);
                }
            });
            assertEquals(List.of(0L), further);
            SessionStatistics statistics = cluster.statistics.get("a");
            assertEquals(8, statistics.transfersStatic());
            assertEquals(1, statistics.copiesFirst());
            assertEquals(tracing ? 0 : 1, statistics.copiesLater());
            assertEquals(tracing ? 1 : 2, device.statistics().copies() - copies);
        }
    }

    /** Who else reads it may do so when the peer has it already, and changes it. */
    @ParameterizedTest
    @CsvSource({"'', AUTO, 1, 4", "'', IMMEDIATE, 2, 4", "reader, AUTO, 1, 0", "task, AUTO, 1, 0", "fetch, AUTO, 1, 0"})
    void whatOnePeerAloneNeedsIsComputedWhereThePeerHasIt(String other, ArrivalMode mode, int depth, int placed)
            throws Exception {
        Graph graph = new Graph();
        Graph.Node fed = graph.add("fed", "a", new Feed(TensorType.of(ElementType.INT32, 1000)));
        Graph.Node c = graph.add("c", "a", new Mix(3, false), fed.output());
        List<Graph.Node> targets = new ArrayList<>(
                List.of(graph.add("see", "b", new Mix(4, true), c.output())));
        if (other.equals("reader")) {
            targets.add(graph.add("read", "a", new Mix(5, false), c.output()));
        } else if (other.equals("task")) {
            targets.add(graph.add("too", "d", new Mix(5, false), c.output()));
        }
        List<Integer> seen = new ArrayList<>();
        List<Integer> expected = new ArrayList<>();
        // A task that finds the peer's slot still taken sends from its own memory: they go on until it has not.
        AtomicInteger runs = new AtomicInteger();
        AtomicLong placedSoFar = new AtomicLong();
        AtomicBoolean goesOn = new AtomicBoolean();
        CyclicBarrier together = new CyclicBarrier(other.equals("task") ? 3 : 2,
                () -> goesOn.set(runs.incrementAndGet() <= ITERATIONS
                        || placedSoFar.get() < Math.min(1, placed) && runs.get() <= 200 * ITERATIONS));
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, depth), mode);
                TensorArena feeds = TensorArena.create(new OffHeapSlabSource(), 0, 1 << 24)) {
            cluster.run((task, session) -> {
                for (int i = 0; goesOn(together, goesOn); i++) {
                    try (Tensor feed = feeds.allocate(ElementType.INT32, Shape.of(1000))) {
                        fill(feed, i, 7);
                        List<Graph.Output> fetches = task.equals("b") ? List.of(graph.node("see").output())
                                : task.equals("a") && other.equals("fetch") ? List.of(c.output()) : List.of();
                        List<Tensor> fetched = session.run(task.equals("a") ? Map.of("fed", feed) : Map.of(), fetches,
                                targets);
                        if (task.equals("b")) {
                            seen.add(ints(fetched.getFirst())[2]);
                            expected.add(TestOperations.mix(4, 4, TestOperations.mix(3, 3, i)));
                        }
                        fetched.forEach(Tensor::close);
                    }
                    if (task.equals("a")) {
                        placedSoFar.set(session.statistics().transfersPlaced());
                    }
                }
            });
            assertEquals(expected, seen);
            SessionStatistics statistics = cluster.statistics.get("a");
            assertEquals(1, statistics.copiesFirst());
            assertEquals(0, statistics.copiesLater());
            assertTrue(statistics.transfersPlaced() >= Math.min(1, placed), statistics::toString);
            assertTrue(statistics.transfersPlaced() <= placed + statistics.iterations() - ITERATIONS,
                    statistics::toString);
        }
    }

    /** Whether all that meet there go on, which is decided while they do. */
    private static boolean goesOn(CyclicBarrier together, AtomicBoolean goesOn) throws Exception {
        together.await(1, TimeUnit.MINUTES);
        return goesOn.get();
    }

    @Test
    void registeredMemoryIsWhatThePlanSays() throws Exception {
        Graph graph = parameterServer(1 << 20);
        SessionOptions options = options(true, 1);
        long planned = options.plan(graph, true).plannedByteSize("server:0");
        // Two variables out, four changes in.
        long needed = 6L * (1 << 20) * Integer.BYTES;
        assertTrue(planned >= needed && planned < needed * 1.05, "planned=" + planned + " needed=" + needed);
        try (DeviceCluster cluster = new DeviceCluster(graph, options, ArrivalMode.AUTO)) {
            RdmaDevice device = cluster.devices.get("server:0");
            // Connections take memory of their own, once.
            cluster.run((task, session) -> session.run(Map.of(), List.of(), targets(graph)));
            long before = device.statistics().registeredByteSize();
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), targets(graph));
                session.run(Map.of(), List.of(), targets(graph));
                if (task.equals("server:0")) {
                    long registered = device.statistics().registeredByteSize() - before;
                    assertTrue(registered >= planned && registered <= needed * 1.25,
                            "registered=" + registered + " planned=" + planned);
                    assertEquals(0, session.statistics().copiesLater());
                }
            });
            assertEquals(before, device.statistics().registeredByteSize(), "the session gave its memory back");
        }
    }

    @Test
    void aPeerThatGivesUpEndsTheRunWithItsSentence() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{4}, 1));
        CountDownLatch waiting = new CountDownLatch(1);
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), c.output());
        Graph.Node begun = graph.add("begun", "b", new Effect("Begun", context -> waiting.countDown()));
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                if (task.equals("a")) {
                    assertTrue(waiting.await(20, TimeUnit.SECONDS));
                    cluster.devices.get("a").abort("disk on fire");
                } else {
                    String message = assertThrows(TransferException.class,
                            () -> session.run(Map.of(), List.of(), List.of(begun, sink))).getMessage();
                    assertTrue(message.startsWith("task=b: ") && message.contains("disk on fire"), message);
                }
            });
        }
    }

    @Test
    void aPeerThatLeavesInOrderEndsAWaitForItsTensor() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{4}, 1));
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), c.output());
        Graph.Node begun = graph.add("begun", "b", new Effect("Begun", context -> {}));
        CountDownLatch created = new CountDownLatch(1);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                if (task.equals("a")) {
                    assertTrue(created.await(20, TimeUnit.SECONDS));
                    session.close();
                    cluster.devices.get("a").close();
                } else {
                    created.countDown();
                    String message = assertThrows(TransferException.class,
                            () -> session.run(Map.of(), List.of(), List.of(begun, sink))).getMessage();
                    assertTrue(message.startsWith("task=b: node 'recv/c:0->b'") && message.contains("has closed"),
                            message);
                }
            });
        }
    }

    /** What one of them sends another one would take for its own. */
    @Test
    void sessionsOfOtherNamesAreOpenOnADeviceAtATime() throws Exception {
        Graph graph = parameterServer(10);
        List<int[]> expected;
        try (Session local = Sessions.local(graph, options(true, 1))) {
            expected = variablesAfter(graph, local);
        }
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                try (Session other = cluster.open(task, options(true, 1).withName("other"))) {
                    for (Session each : List.of(other, session)) {
                        if (task.equals("server:0")) {
                            List<int[]> actual = variablesAfter(graph, each);
                            assertArrayEquals(expected.get(0), actual.get(0));
                            assertArrayEquals(expected.get(1), actual.get(1));
                        } else {
                            for (int i = 0; i < ITERATIONS; i++) {
                                each.run(Map.of(), List.of(), targets(graph));
                            }
                        }
                    }
                }
            });
        }
    }

    private static Operation ofUnknownLength() {
        return new Function("Unknown", new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N"))),
                context -> fill(context.allocateOutput(0, ElementType.INT32, Shape.of(5)), 6, 7));
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aReopenedSessionWaitsUntilThePeerHasClosedItsOldOne(boolean isStatic) throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{4}, 1, 2, 3));
        Graph.Node there = graph.add("there", "b", isStatic ? new Mix(1, false) : ofUnknownLength(), c.output());
        Graph.Node back = graph.add("back", "a", new Mix(2, false), there.output());
        CountDownLatch reopened = new CountDownLatch(1);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(back));
                if (task.equals("b")) {
                    assertFalse(reopened.await(300, TimeUnit.MILLISECONDS), "there is nobody to be opened for");
                }
                session.close();
                try (Session next = cluster.open(task, options(true, 1))) {
                    reopened.countDown();
                    for (int i = 0; i < 3; i++) {
                        next.run(Map.of(), List.of(), List.of(back));
                    }
                    assertEquals(3, next.statistics().iterations());
                }
            });
        }
    }

    @Test
    void aLostPeerEndsTheSessionsThatNeedItAndNoOthers() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{4}, 1, 2, 3));
        Graph.Node atB = graph.add("atB", "b", new Mix(1, false), c.output());
        Graph.Node back = graph.add("back", "a", new Mix(1, false), atB.output());
        Graph others = new Graph();
        Graph.Node x = others.add("x", "lost", TestOperations.constant(new long[]{4}, 1, 2, 3));
        Graph.Node sink = others.add("sink", "a", new Effect("See", context -> {}), x.output());
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO);
                RdmaDevice lost = cluster.add("lost")) {
            CompletableFuture<Session> atLost = CompletableFuture
                    .supplyAsync(() -> cluster.open(others, "lost", options(true, 1)));
            try (Session needing = cluster.open(others, "a", options(true, 1))) {
                atLost.join().run(Map.of(), List.of(), List.of(sink));
                needing.run(Map.of(), List.of(), List.of(sink));
                lost.abort("power failure");
                String message = assertThrows(TransferException.class,
                        () -> needing.run(Map.of(), List.of(), List.of(sink))).getMessage();
                assertTrue(message.startsWith("task=a: ") && message.contains("power failure"), message);
                atLost.join().close();
            }
            cluster.run((task, session) -> session.run(Map.of(), List.of(), List.of(back)));
            assertEquals(1, cluster.statistics.get("a").iterations());
        }
    }

    /** Without a word the first run of one would take a tensor of the other's first run, and one of its second. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void tasksThatRunOtherTargetsSaySoInsteadOfPairingTensorsOfDifferentRuns(int depth) throws Exception {
        Graph graph = new Graph();
        Graph.Node[] sinks = new Graph.Node[2];
        AtomicInteger seen = new AtomicInteger();
        for (int i = 0; i < 2; i++) {
            Graph.Node c = graph.add("c" + i, "a", TestOperations.constant(new long[]{4}, i));
            sinks[i] = graph.add("sink" + i, "b", new Effect("See", context -> seen.incrementAndGet()), c.output());
        }
        CountDownLatch bothHaveRun = new CountDownLatch(2);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, depth), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(sinks[1]));
                if (task.equals("a")) {
                    session.run(Map.of(), List.of(), List.of(sinks[0]));
                } else {
                    String message = assertThrows(TransferException.class,
                            () -> session.run(Map.of(), List.of(), List.of(sinks))).getMessage();
                    assertTrue(message.contains("task=a runs fetches=[] targets=[sink0], task=b runs fetches=[] "
                            + "targets=[sink0, sink1]"), message);
                }
                bothHaveRun.countDown();
                assertTrue(bothHaveRun.await(20, TimeUnit.SECONDS));
            });
        }
        assertEquals(1, seen.get());
    }

    /** The peer goes on as before and tells nothing of it; its tensors come along an edge that the run here does not need. */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whoAloneTakesOtherTargetsHearsWhatThePeerGoesOnWith(boolean isStatic) throws Exception {
        Graph graph = new Graph();
        Graph.Node[] sinks = new Graph.Node[2];
        for (int i = 0; i < 2; i++) {
            Graph.Node c = graph.add("c" + i, "a", TestOperations.constant(new long[]{4}, i));
            Graph.Node sent = isStatic ? c : graph.add("some" + i, "a", ofUnknownLength(), c.output());
            sinks[i] = graph.add("sink" + i, "b", new Effect("See", context -> {}), sent.output());
        }
        CountDownLatch bothHaveRun = new CountDownLatch(2);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(sinks[0]));
                session.run(Map.of(), List.of(), List.of(sinks[0]));
                if (task.equals("a")) {
                    session.run(Map.of(), List.of(), List.of(sinks[0]));
                } else {
                    String message = assertThrows(TransferException.class,
                            () -> session.run(Map.of(), List.of(), List.of(sinks[1]))).getMessage();
                    assertTrue(message.contains("task=a runs fetches=[] targets=[sink0], task=b runs fetches=[] "
                            + "targets=[sink1]"), message);
                }
                bothHaveRun.countDown();
                assertTrue(bothHaveRun.await(20, TimeUnit.SECONDS));
            });
        }
    }

    /** The peer goes on as before, but no tensor tells, since it waits for a third task. */
    @Test
    void whoAloneTakesOtherTargetsHearsWhatThePeerWaitsIn() throws Exception {
        Graph graph = new Graph();
        Graph.Node first = graph.add("first", "c", TestOperations.constant(new long[]{4}, 1));
        Graph.Node passed = graph.add("passed", "a", new Mix(1, false), first.output());
        Graph.Node far = graph.add("far", "b", new Effect("See", context -> {}), passed.output());
        Graph.Node own = graph.add("own", "a", TestOperations.constant(new long[]{4}, 2));
        Graph.Node near = graph.add("near", "b", new Effect("See", context -> {}), own.output());
        CountDownLatch told = new CountDownLatch(1);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(far));
                switch (task) {
                    case "a" -> assertThrows(TransferException.class,
                            () -> session.run(Map.of(), List.of(), List.of(far)), "nobody else does");
                    case "b" -> {
                        String message = assertThrows(TransferException.class,
                                () -> session.run(Map.of(), List.of(), List.of(near))).getMessage();
                        assertTrue(message.contains("task=a runs fetches=[] targets=[far], task=b runs fetches=[] "
                                + "targets=[near]"), message);
                        told.countDown();
                    }
                    default -> assertTrue(told.await(19, TimeUnit.SECONDS), "before the run of a is given up");
                }
            });
        }
    }

    /** It would tell those that it sends to what it runs, and one of them has had all it needs. */
    @Test
    void whoWaitsGoesOnWhenAPeerIsThroughAndCloses() throws Exception {
        Graph graph = new Graph();
        Graph.Node own = graph.add("own", "a", TestOperations.constant(new long[]{4}, 1));
        Graph.Node near = graph.add("near", "b", new Effect("See", context -> {}), own.output());
        Graph.Node first = graph.add("first", "c", TestOperations.constant(new long[]{4}, 2));
        Graph.Node far = graph.add("far", "a", new Effect("See", context -> {}), first.output());
        SessionOptions options = options(true, 1);
        CountDownLatch closed = new CountDownLatch(1);
        try (DeviceCluster cluster = new DeviceCluster(graph, options, ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(near, far));
                if (task.equals("c")) {
                    assertTrue(closed.await(20, TimeUnit.SECONDS));
                    // As long as it takes until who waits tells.
                    Thread.sleep(options.timeout().dividedBy(16));
                }
                session.run(Map.of(), List.of(), List.of(near, far));
                if (task.equals("b")) {
                    session.close();
                    closed.countDown();
                }
            });
        }
    }

    /** The sender is ahead by as many runs as there are slots, and each run has the tensors of its own targets. */
    @ParameterizedTest
    @CsvSource({"1, TAIL", "3, TAIL", "3, IMMEDIATE"})
    void runsThatChangeTargetsTellSoAndOthersTellNothing(int depth, ArrivalMode mode) throws Exception {
        Graph graph = new Graph();
        Graph.Node[] sinks = new Graph.Node[3];
        List<Integer> seen = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            Graph.Node c = graph.add("c" + i, "a", TestOperations.constant(new long[]{4}, i));
            sinks[i] = graph.add("sink" + i, "b", new Effect("See", context -> seen.add(ints(context.input(0))[0])),
                    c.output());
        }
        List<Integer> targets = new ArrayList<>();
        int changes = 0;
        Random random = new Random(depth);
        for (int i = 0; i < 200; i++) {
            int target = i < 100 ? random.nextInt(3) : 2;
            changes += i == 0 || target != targets.getLast() ? 1 : 0;
            targets.add(target);
        }
        // Who waits for a share of the timeout tells, too: nobody does here.
        SessionOptions patient = new SessionOptions(true, depth, Duration.ofMinutes(30));
        try (DeviceCluster cluster = new DeviceCluster(graph, patient, mode)) {
            cluster.run((task, session) -> {
                for (int target : targets) {
                    session.run(Map.of(), List.of(), List.of(sinks[target]));
                }
            });
            assertEquals(targets, seen);
            int notices = mode == ArrivalMode.TAIL ? changes : targets.size();
            assertEquals(targets.size() + notices, cluster.devices.get("a").statistics().transfers());
            assertEquals(0, cluster.devices.get("b").statistics().transfers());
        }
    }

    @Test
    void tasksWithOtherPlansDoNotMeet() {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{4}, 1));
        graph.add("sink", "b", new Effect("See", context -> {}), c.output());
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO);
                Session waiting = cluster.open("b", options(true, 2))) {
            String message = assertThrows(TransferException.class, () -> cluster.open("a", options(true, 1)))
                    .getMessage();
            String atA = TransferPlan.of(graph, 1).fingerprint();
            String atB = TransferPlan.of(graph, 2).fingerprint();
            assertTrue(message.contains("'c:0->b' was made for plan " + atB) && message.contains("for plan " + atA),
                    message);
            assertEquals(0, waiting.statistics().iterations());
        }
    }

    @Test
    void setUpSaysWhatIsMissing() {
        Graph graph = parameterServer(4);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            RdmaDevice device = cluster.devices.get("server:0");
            assertMessage("no device for task=server:0",
                    () -> Sessions.distributed(graph, "server:0", cluster.endpoints,
                            null, SessionOptions.defaults()));
            assertMessage("no node is placed on task=server:9", () -> Sessions.distributed(graph, "server:9",
                    cluster.endpoints, device, SessionOptions.defaults()));
            assertMessage("task=server:0 shares edges with task=worker:1, which has no endpoint",
                    () -> Sessions.distributed(graph, "server:0",
                            Map.of("worker:0", cluster.endpoints.get("worker:0")), device, SessionOptions.defaults()));
        }
    }

    /** In one run a tensor is in place of what in the next somebody else still reads; the tracer guesses that it will be sent, too. */
    @Test
    void bothLinksOfAnInPlaceChainHaveRoomInRegisteredMemory() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{1 << 18}, 1, 2, 3));
        Graph.Node changed = graph.add("changed", "a", new Mix(5, true), c.output());
        Graph.Node reader = graph.add("reader", "a", new Effect("Read", context -> {}), c.output());
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), changed.output());
        List<Long> copies = new ArrayList<>();
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                for (int i = 0; i < 6; i++) {
                    session.run(Map.of(), List.of(), i % 2 == 0 ? List.of(sink) : List.of(sink, reader));
                    if (task.equals("a")) {
                        copies.add(session.statistics().copiesFirst() + session.statistics().copiesLater());
                    }
                }
            });
        }
        assertEquals(List.of(1L, 1L, 1L, 1L, 1L, 1L), copies);
    }

    @Test
    void closingWithAnOpenFetchClosesNothingAndLeavesNothingWhenItIsTriedAgain() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{1 << 10}, 1, 2, 3));
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), c.output());
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            RdmaDevice device = cluster.devices.get("a");
            long before = device.statistics().registeredByteSize();
            cluster.run((task, session) -> {
                session.run(Map.of(), List.of(), List.of(sink));
                List<Tensor> fetched = session.run(Map.of(), task.equals("a") ? List.of(c.output()) : List.of(),
                        List.of(sink));
                if (task.equals("a")) {
                    assertThrows(IllegalStateException.class, session::close);
                }
                session.run(Map.of(), List.of(), List.of(sink));
                fetched.forEach(Tensor::close);
            });
            assertEquals(3, cluster.statistics.get("a").iterations());
            assertEquals(before, device.statistics().registeredByteSize());
        }
    }

    /** The caller keeps what it fetched, more than the plan has room for: copied, counted, and over when it is closed. */
    @Test
    void registeredMemoryThatIsFullIsACopyAndNoHang() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{1 << 18}, 1, 2, 3));
        AtomicInteger seen = new AtomicInteger();
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {
            assertArrayEquals(new int[]{1, 2, 3, 1}, Arrays.copyOf(ints(context.input(0)), 4));
            seen.incrementAndGet();
        }), c.output());
        List<Long> copies = new ArrayList<>();
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                List<Tensor> kept = new ArrayList<>();
                for (int i = 0; i < 6; i++) {
                    if (i == 4) {
                        kept.forEach(Tensor::close);
                        kept.clear();
                    }
                    kept.addAll(
                            session.run(Map.of(), task.equals("a") ? List.of(c.output()) : List.of(), List.of(sink)));
                    if (task.equals("a")) {
                        copies.add(session.statistics().copiesFirst() + session.statistics().copiesLater());
                    }
                }
                kept.forEach(Tensor::close);
            });
        }
        assertEquals(6, seen.get());
        assertEquals(List.of(1L, 1L, 2L, 3L, 3L), copies.subList(0, 5));
    }

    /** What a worker makes of a feed goes to the server and back, beside one of known shape; in each run it has another size. */
    private static Graph roundTrip() {
        Graph graph = new Graph();
        Graph.Node x = graph.add("x", "worker",
                new Feed(new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N")))));
        Graph.Node there = graph.add("there", "worker", new Mix(1, false), x.output());
        Graph.Node fixed = graph.add("fixed", "worker", TestOperations.constant(new long[]{4}, 7));
        Graph.Node mixed = graph.add("mixed", "server", new Mix(2, false), there.output());
        graph.add("fixedThere", "server", new Mix(3, false), fixed.output());
        graph.add("back", "worker", new Mix(4, true), mixed.output());
        return graph;
    }

    @ParameterizedTest
    @CsvSource({"true, AUTO, 1", "false, AUTO, 1", "true, TAIL, 2", "true, IMMEDIATE, 3"})
    void whatHasAnotherShapeInEachRunIsAllocatedWhereItArrives(boolean tracing, ArrivalMode mode, int depth)
            throws Exception {
        Graph graph = roundTrip();
        List<Graph.Node> targets = List.of(graph.node("fixedThere"), graph.node("back"));
        long[] lengths = {3, 100_000, 1, 0, 7, 1 << 20, 50};
        List<int[]> expected = new ArrayList<>();
        try (Session local = Sessions.local(graph, options(tracing, depth))) {
            for (long length : lengths) {
                expected.add(back(graph, local, length));
            }
        }
        try (DeviceCluster cluster = new DeviceCluster(graph, options(tracing, depth), mode)) {
            cluster.run((task, session) -> {
                for (int i = 0; i < lengths.length; i++) {
                    if (task.equals("server")) {
                        session.run(Map.of(), List.of(), targets);
                    } else {
                        assertArrayEquals(expected.get(i), back(graph, session, lengths[i]));
                    }
                }
            });
            SessionStatistics worker = cluster.statistics.get("worker");
            assertEquals(lengths.length, worker.transfersStatic());
            assertEquals(lengths.length, worker.transfersDynamic());
            assertEquals(2, worker.copiesFirst());
            assertEquals(tracing ? 0 : 2 * (lengths.length - 1), worker.copiesLater());
            assertEquals(4 * Integer.BYTES, worker.crossingByteSize());
            SessionStatistics server = cluster.statistics.get("server");
            assertEquals(lengths.length, server.transfersDynamic());
            assertEquals(tracing ? 0 : lengths.length - 1, server.copiesLater());
        }
    }

    private static int[] back(Graph graph, Session session, long length) {
        List<Graph.Node> targets = List.of(graph.node("fixedThere"), graph.node("back"));
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 0, Long.MAX_VALUE);
                Tensor x = arena.allocate(ElementType.INT32, Shape.of(length))) {
            TestOperations.fill(x, 5, 6, 7);
            try (Tensor back = session.run(Map.of("x", x), List.of(graph.node("back").output()), targets).getFirst()) {
                return ints(back);
            }
        }
    }

    /** Who waits for room says so, and not that the peer is slow. */
    @ParameterizedTest
    @CsvSource({"server, room for tensor 'there:0'", "worker, room for a copy of tensor 'there:0'"})
    void whoFindsNoRoomSaysWhatToDo(String small, String expected) throws Exception {
        Graph graph = roundTrip();
        // Who has room waits longer: the other one is to be heard.
        try (DeviceCluster cluster = new DeviceCluster(graph, new SessionOptions(true, 1, Duration.ofSeconds(20)),
                ArrivalMode.AUTO)) {
            cluster.give(small, new SessionOptions(true, 1, Duration.ofSeconds(3)).withDynamicMemory(1 << 16));
            cluster.run((task, session) -> {
                String message = assertThrows(TransferException.class, () -> {
                    if (task.equals("server")) {
                        session.run(Map.of(), List.of(), List.of(graph.node("fixedThere"), graph.node("back")));
                    } else {
                        back(graph, session, 1 << 20);
                    }
                }).getMessage();
                assertTrue(!task.equals(small)
                        || message.contains(expected) && message.contains("SessionOptions.withDynamicMemory"), message);
            });
        }
    }

    private static void assertMessage(String expected, org.junit.jupiter.api.function.Executable executable) {
        String message = assertThrows(IllegalArgumentException.class, executable).getMessage();
        assertTrue(message.startsWith(expected), message);
    }

    @Test
    void aPeerWithoutASessionEndsTheSetUpAndNothingIsLeft() {
        Graph graph = parameterServer(4);
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            RdmaDevice device = cluster.devices.get("server:0");
            Map<String, Endpoint> endpoints = cluster.endpoints;
            long before = device.statistics().registeredByteSize();
            String message = assertThrows(TransferException.class,
                    () -> Sessions.distributed(graph, "server:0", endpoints,
                            device, new SessionOptions(true, 1, Duration.ofMillis(200))))
                    .getMessage();
            assertTrue(message.contains("v:0->worker:0"), message);
            assertEquals(before, device.statistics().registeredByteSize());
        }
    }

    @Test
    void aTaskWithoutCrossingEdgesNeedsNoPeers() throws Exception {
        Graph graph = new Graph();
        Graph.Node c = graph.add("c", "alone", TestOperations.constant(new long[]{4}, 8));
        try (DeviceCluster cluster = new DeviceCluster(graph, options(true, 1), ArrivalMode.AUTO)) {
            cluster.run((task, session) -> {
                try (Tensor fetched = session.run(Map.of(), List.of(c.output()), List.of()).getFirst()) {
                    assertArrayEquals(new int[]{8, 8, 8, 8}, ints(fetched));
                }
            });
            assertEquals(0, cluster.statistics.get("alone").plannedByteSize());
        }
    }
}
