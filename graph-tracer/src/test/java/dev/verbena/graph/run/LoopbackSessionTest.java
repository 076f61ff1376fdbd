package dev.verbena.graph.run;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Function;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.edge.LoopbackEdge;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.trace.TracedNode;
import dev.verbena.transfer.TransferException;

/** Sessions of several tasks over loopback edges: what is copied, what waits, what is told. */
class LoopbackSessionTest {
    private static final long[] SHAPE = {4};
    private final Graph graph = new Graph();
    private final List<Tensor> seen = new ArrayList<>();
    private LoopbackCluster cluster;

    private LoopbackCluster cluster(boolean tracing, Duration timeout) {
        cluster = new LoopbackCluster(graph, new SessionOptions(tracing, 1, timeout), Runnable::run);
        return cluster;
    }

    private LoopbackCluster cluster() {
        return cluster(true, Duration.ofSeconds(30));
    }

    @AfterEach
    void nothingLeaks() {
        if (cluster != null) {
            cluster.close();
            cluster.sessions.keySet().forEach(task -> assertEquals(0, cluster.live(task), task));
        }
    }

    private static void awaitUntil(BooleanSupplier condition) {
        long deadlineNs = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!condition.getAsBoolean()) {
            assertTrue(System.nanoTime() < deadlineNs, "the condition never came true");
            Thread.onSpinWait();
        }
    }

    /** A parameter server's variable, read by a worker that sends back what is added to it. */
    private Graph.Node trainingStep() {
        Graph.Node w = graph.add("w", "server:0", TestOperations.variable(SHAPE, 1, 2, 3, 4));
        Graph.Node gradient = graph.add("g", "worker:0", new Mix(7, false), w.output());
        return graph.add("apply", "server:0", new AddTo(), w.output(), gradient.output());
    }

    private static int[] trained(int iterations) {
        int[] w = {1, 2, 3, 4};
        for (int k = 0; k < iterations; k++) {
            for (int i = 0; i < w.length; i++) {
                w[i] += TestOperations.mix(7, 7, w[i]);
            }
        }
        return w;
    }

    @Test
    void tensorsAreCopiedInTheFirstIterationOnly() throws Exception {
        Graph.Node apply = trainingStep();
        cluster().run(4, apply);
        for (String task : List.of("server:0", "worker:0")) {
            SessionStatistics statistics = cluster.statistics(task);
            assertEquals(4, statistics.iterations());
            assertEquals(1, statistics.copiesFirst());
            assertEquals(16, statistics.copiedByteSizeFirst());
            assertEquals(0, statistics.copiesLater());
            assertEquals(0, statistics.copiedByteSizeLater());
            assertEquals(4, statistics.transfersStatic());
            assertEquals(0, statistics.transfersDynamic());
            assertEquals(1, statistics.sitesSeen());
            assertEquals(1, statistics.sitesRegistered());
            assertEquals(16, statistics.crossingByteSize());
        }
        cluster.edges.values().forEach(edge -> assertEquals(1, edge.copies()));
    }

    @Test
    void whatGoesToSeveralTasksIsCopiedOnceAndAsThePlanCountsIt() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{20_000}, 1, 2, 3, 4));
        List<Integer> sums = new CopyOnWriteArrayList<>();
        Graph.Node[] sinks = Stream.of("b", "c")
                .map(task -> graph.add("sink-" + task, task,
                        new Effect("Sum", context -> sums.add(Arrays.stream(ints(context.input(0))).sum())),
                        c.output()))
                .toArray(Graph.Node[]::new);
        CyclicBarrier bothSent = new CyclicBarrier(2);
        // Neither leaves before both are on their way.
        try (ExecutorService completing = Executors.newFixedThreadPool(2)) {
            cluster = new LoopbackCluster(graph, SessionOptions.defaults(), command -> completing.execute(() -> {
                try {
                    bothSent.await(30, TimeUnit.SECONDS);
                } catch (InterruptedException | BrokenBarrierException | TimeoutException e) {
                    throw new AssertionError(e);
                }
                command.run();
            }));
            cluster.run(3, sinks);
        }
        assertEquals(Collections.nCopies(6, 50_000), sums);
        SessionStatistics statistics = cluster.statistics("a");
        assertEquals(1, statistics.copiesFirst());
        assertEquals(80_000, statistics.copiedByteSizeFirst());
        assertEquals(0, statistics.copiesLater());
        assertEquals(6, statistics.transfersStatic());
        assertEquals(80_000, cluster.registered.get("a").peakByteSize());
        assertEquals(80_000, TransferPlan.of(graph, 1).crossingPeakByteSize("a"));
        assertEquals(1, cluster.edges.values().stream().mapToInt(LoopbackEdge::copies).sum());
    }

    @Test
    void withoutTracingEveryTensorIsCopied() throws Exception {
        Graph.Node apply = trainingStep();
        cluster(false, Duration.ofSeconds(30)).run(4, apply);
        SessionStatistics statistics = cluster.statistics("server:0");
        assertEquals(1, statistics.copiesFirst());
        assertEquals(3, statistics.copiesLater());
        assertEquals(48, statistics.copiedByteSizeLater());
        assertEquals(0, statistics.sitesRegistered());
    }

    @Test
    void aSentVariableMovesOnceIntoRegisteredMemoryWithItsValue() throws Exception {
        Graph.Node apply = trainingStep();
        cluster();
        for (int iterations = 1; iterations <= 3; iterations++) {
            cluster.run(1, apply);
            assertEquals(0, cluster.ordinary.get("server:0").live());
            assertEquals(1, cluster.ordinary.get("server:0").allocations());
        }
        cluster.run((task, session) -> {
            if (task.equals("server:0")) {
                Tensor w = session.run(Map.of(), List.of(graph.node("w").output()), List.of()).getFirst();
                assertArrayEquals(trained(3), ints(w));
                w.close();
            }
        });
    }

    @Test
    void anInPlaceChainDoesNotHideTheAllocationSite() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1, 2, 3, 4));
        Graph.Node alias = graph.add("alias", "a", new Identity(), c.output());
        Graph.Node mixed = graph.add("mixed", "a", new Mix(3, true), alias.output());
        Graph.Node grid = graph.add("grid", "a", new Reshape(SymbolicShape.of(2, 2)), mixed.output());
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> seen.add(context.input(0))),
                grid.output());
        cluster().run(3, sink);
        SessionStatistics statistics = cluster.statistics("a");
        assertEquals(1, statistics.copiesFirst());
        assertEquals(0, statistics.copiesLater());
        assertEquals(1, statistics.sitesSeen());
        assertEquals(1, statistics.sitesRegistered());
        assertTrue(cluster.session(0) instanceof GraphSession session
                && session.memory().tracer().isSiteRegistered("c#0"));
        assertEquals(1, cluster.ordinary.get("a").allocations());
        assertEquals(3, seen.size());
    }

    @Test
    void ofTwoSitesAtOneAddressTheNewestIsSent() throws Exception {
        List<Long> addresses = new ArrayList<>();
        Graph.Node early = graph.add("early", "a",
                new Function("Early", TensorType.of(ElementType.INT32, 1), context -> {
                    // Gone with the node, and the next to be handed out again.
                    addresses.add(context.allocateTemporary(ElementType.INT32, Shape.of(SHAPE)).address());
                    TestOperations.fill(context.allocateOutput(0, ElementType.INT32, Shape.of(1)), 5);
                }));
        Graph.Node late = graph.add("late", "a",
                new Function("Late", TensorType.of(ElementType.INT32, SHAPE), context -> {
                    Tensor output = context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE));
                    addresses.add(output.address());
                    TestOperations.fill(output, ints(context.input(0))[0]);
                }), early.output());
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> seen.add(context.input(0))),
                late.output());
        cluster().run(1, sink);
        assertEquals(addresses.get(0), addresses.get(1), "the address was reused within the iteration");
        SessionTracer tracer = ((GraphSession) cluster.session(0)).memory().tracer();
        assertEquals(3, tracer.sitesSeen());
        assertEquals(1, tracer.sitesRegistered());
        assertTrue(tracer.isSiteRegistered("late#0"));
        assertFalse(tracer.isSiteRegistered("early#0"));
    }

    /** Its kernel allocates in another order from an iteration on, and gives other nodes' storage another way. */
    @Test
    void aKernelThatChangesIsCopiedOnceMoreOnly() throws Exception {
        int[] iteration = new int[1];
        Graph.Node c = graph.add("c", "a",
                new Function("Changing", TensorType.of(ElementType.INT32, SHAPE), context -> {
                    boolean outputFirst = iteration[0]++ < 3;
                    Tensor output = outputFirst ? context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE)) : null;
                    context.allocateTemporary(ElementType.INT32, Shape.of(SHAPE));
                    output = outputFirst ? output : context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE));
                    TestOperations.fill(output, iteration[0]);
                }));
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> seen.add(context.input(0))), c.output());
        cluster();
        for (int i = 1; i <= 6; i++) {
            cluster.run(1, sink);
            SessionStatistics statistics = cluster.statistics("a");
            assertEquals(1, statistics.copiesFirst());
            assertEquals(i < 4 ? 0 : 1, statistics.copiesLater(), "iteration " + i);
            assertEquals(i < 4 ? 1 : 2, statistics.sitesRegistered());
        }
    }

    @Test
    void aRestartWithSavedTracesCopiesNothing(@TempDir Path folder) throws Exception {
        Graph.Node apply = trainingStep();
        SessionOptions options = SessionOptions.defaults().withTrace(folder);
        for (int start = 0; start < 2; start++) {
            cluster = new LoopbackCluster(graph, options, Runnable::run);
            cluster.run(3, apply);
            for (String task : cluster.sessions.keySet()) {
                assertEquals(start == 0 ? 1 : 0, cluster.statistics(task).copiesFirst(), task);
                assertEquals(0, cluster.statistics(task).copiesLater(), task);
                assertEquals(1, cluster.statistics(task).sitesRegistered(), task);
            }
            nothingLeaks();
        }
        cluster = null;
        Files.writeString(folder.resolve("server-0.trace"), "nothing of the kind");
        String message = assertThrows(UncheckedIOException.class,
                () -> new SessionTracer(true, folder.resolve("server-0.trace")))
                .getMessage();
        assertEquals("the saved trace cannot be read: " + folder.resolve("server-0.trace")
                + ":1: not a saved trace: it does not begin with 'verbena-trace 1'", message);
    }

    /** A variable that is sent only from some later iteration on moves then. */
    @Test
    void aVariableThatIsSentLaterMovesLater() throws Exception {
        int[] iteration = new int[1];
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 7));
        Graph.Node choice = graph.add("choice", "a",
                new Function("Choice", TensorType.of(ElementType.INT32, SHAPE), context -> {
                    if (++iteration[0] < 3) {
                        TestOperations.fill(context.allocateOutput(0, ElementType.INT32, Shape.of(SHAPE)), 7);
                    } else {
                        context.forward(0, 0, Shape.of(SHAPE));
                    }
                }), w.output());
        Graph.Node sink = graph.add("sink", "b",
                new Effect("See", context -> assertArrayEquals(new int[]{7, 7, 7, 7}, ints(context.input(0)))),
                choice.output());
        cluster();
        for (int i = 1; i <= 5; i++) {
            cluster.run(1, sink);
            assertEquals(i < 3 ? 0 : 1, cluster.statistics("a").copiesLater(), "iteration " + i);
        }
        assertEquals(0, cluster.ordinary.get("a").live(), "the variable lies in registered memory");
    }

    @Test
    void aTensorPassedOnFromItsSlotNeedsNoCopy() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1));
        Graph.Node relay = graph.add("relay", "b", new Mix(3, true), c.output());
        Graph.Node sink = graph.add("sink", "c", new Effect("See", context -> seen.add(context.input(0))),
                relay.output());
        cluster().run(3, sink);
        SessionStatistics statistics = cluster.statistics("b");
        assertEquals(0, statistics.copiesFirst() + statistics.copiesLater());
        assertEquals(0, cluster.ordinary.get("b").allocations());
        assertEquals(3, statistics.transfersStatic());
    }

    @Test
    void aSlowReceiverIsBackPressure() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1, 2, 3, 4));
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {
            assertArrayEquals(new int[]{1, 2, 3, 4}, ints(context.input(0)));
            seen.add(context.input(0));
        }), c.output());
        LoopbackEdge edge = cluster().edges.get("c:0->b");
        cluster.run((task, session) -> {
            if (task.equals("b")) {
                awaitUntil(() -> edge.backPressured() > 0);
            }
            for (int i = 0; i < 3; i++) {
                session.run(Map.of(), List.of(), List.of(sink));
            }
        });
        assertEquals(3, seen.size());
        assertEquals(1, edge.freeSlots());
    }

    @Test
    void completionsMayComeOnAnotherThread() throws Exception {
        Graph.Node apply = trainingStep();
        try (ExecutorService poller = Executors.newSingleThreadExecutor()) {
            cluster = new LoopbackCluster(graph, SessionOptions.defaults(), poller);
            cluster.run(50, apply);
        }
        assertEquals(50, cluster.statistics("worker:0").transfersStatic());
        assertEquals(0, cluster.statistics("worker:0").copiesLater());
    }

    @Test
    void aFetchedSlotIsFreeWhenItIsClosed() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1));
        Graph.Node alias = graph.add("alias", "b", new Identity(), c.output());
        LoopbackEdge edge = cluster().edges.get("c:0->b");
        cluster.run((task, session) -> {
            if (task.equals("b")) {
                Tensor fetched = session.run(Map.of(), List.of(alias.output()), List.of(alias)).getFirst();
                assertEquals(0, edge.freeSlots());
                fetched.close();
            } else {
                session.run(Map.of(), List.of(), List.of(alias));
            }
        });
        assertEquals(1, edge.freeSlots());
    }

    @Test
    void onlyEdgesInsideTheTargetsCross() throws Exception {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1));
        Graph.Node wanted = graph.add("wanted", "b", new Effect("See", context -> seen.add(context.input(0))),
                c.output());
        graph.add("unwanted", "c", new Effect("See", context -> seen.add(context.input(0))), c.output());
        cluster().run(2, wanted);
        assertEquals(2, seen.size());
        assertEquals(2, cluster.statistics("a").transfersStatic());
        assertEquals(0, cluster.statistics("c").transfersStatic());
    }

    @Test
    void aDeadlineNamesEdgeAndPeer() {
        Graph.Node apply = trainingStep();
        cluster(true, Duration.ofMillis(50));
        String message = assertThrows(TransferException.class,
                () -> cluster.sessions.get("worker:0").run(Map.of(), List.of(), List.of(apply))).getMessage();
        assertEquals("task=worker:0 waited in vain for timeoutMs=50 for tensor 'w:0' from task=server:0 "
                + "(edge w:0->worker:0)", message);
    }

    @Test
    void aDeadlineUnderBackPressureNamesEdgeAndPeer() {
        Graph.Node c = graph.add("c", "a", TestOperations.constant(SHAPE, 1));
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), c.output());
        cluster(true, Duration.ofMillis(50));
        Session a = cluster.sessions.get("a");
        a.run(Map.of(), List.of(), List.of(sink));
        String message = assertThrows(TransferException.class, () -> a.run(Map.of(), List.of(), List.of(sink)))
                .getMessage();
        assertTrue(message.endsWith("for task=b to take tensor 'c:0' (edge c:0->b)"), message);
    }

    @Test
    void aFailedTransferNamesItsNodeAndCause() {
        Graph.Node apply = trainingStep();
        cluster().edges.get("w:0->worker:0").fail("peer server:0 is gone");
        String message = assertThrows(TransferException.class,
                () -> cluster.sessions.get("worker:0").run(Map.of(), List.of(), List.of(apply))).getMessage();
        assertEquals("task=worker:0: node 'recv/w:0->worker:0' (Recv): peer server:0 is gone", message);
    }

    @Test
    void feedsAndFetchesBelongToTheirTask() {
        graph.add("x", "a", new Feed(TensorType.of(ElementType.INT32, SHAPE)));
        Graph.Node y = graph.add("y", "b", new Identity(), graph.node("x").output());
        cluster();
        Session a = cluster.sessions.get("a");
        Session b = cluster.sessions.get("b");
        String fetch = assertThrows(IllegalArgumentException.class,
                () -> a.run(Map.of(), List.of(y.output()), List.of())).getMessage();
        assertEquals("fetch y:0 is placed on task=b but this session runs task=a; fetch it there", fetch);
        Tensor feed = new TestAllocator().allocate(ElementType.INT32,
                Shape.of(SHAPE));
        String fed = assertThrows(IllegalArgumentException.class,
                () -> b.run(Map.of("x", feed), List.of(), List.of(y))).getMessage();
        assertEquals("feed 'x' is placed on task=a but this session runs task=b; feed it there", fed);
    }

    @Test
    void eachSetOfTargetsHasAFirstIterationOfItsOwn() throws Exception {
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
        Graph.Node use = graph.add("use", "a", new Effect("See", context -> {}), w.output());
        Graph.Node sink = graph.add("sink", "b", new Effect("See", context -> {}), w.output());
        // The variable is allocated in a run that does not send it; a later set of targets does, and must find its site.
        cluster().run(2, use);
        cluster.run(3, sink);
        SessionStatistics statistics = cluster.statistics("a");
        assertEquals(1, statistics.copiesFirst());
        assertEquals(0, statistics.copiesLater());
        assertEquals(1, statistics.sitesRegistered());
    }

    @Test
    void optionsRefuseWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> new SessionOptions(true, 0, Duration.ofSeconds(1)));
        assertThrows(IllegalArgumentException.class, () -> new SessionOptions(true, 1, Duration.ZERO));
        assertThrows(IllegalArgumentException.class, () -> new SessionOptions(true, 1, Duration.ofSeconds(-1)));
        assertThrows(IllegalArgumentException.class, () -> new SessionOptions(true, 1, Duration.ofDays(1000)));
    }

    @Test
    void fullRegisteredMemoryMeansCopiesNotFailure() {
        SessionTracer tracer = new SessionTracer(true, null);
        TestAllocator ordinary = new TestAllocator();
        TestAllocator registered = new TestAllocator(1);
        SessionMemory memory = new SessionMemory(tracer, ordinary, registered, (type, shape) -> null, registered::owns);
        TracedNode node = tracer.node("n");
        tracer.sent(memory.allocate(node, ElementType.INT32, Shape.of(4)), true);
        assertTrue(tracer.endIteration());
        node.enter();
        Tensor first = memory.allocate(node, ElementType.INT32, Shape.of(4));
        node.enter();
        Tensor second = memory.allocate(node, ElementType.INT32, Shape.of(4));
        assertTrue(registered.owns(first));
        assertTrue(ordinary.owns(second));
        node.enter();
        assertTrue(memory.reuse(node, first));
        node.enter();
        assertFalse(memory.reuse(node, second), "a registered site must not go on in ordinary memory");
    }
}
