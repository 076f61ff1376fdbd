package dev.verbena.graph;

import static dev.verbena.graph.TestOperations.ints;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Effect;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
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
            assertEquals(4 * ITERATIONS, server.transfersStatic());
            assertEquals(4, server.copiesFirst());
            assertEquals(tracing ? 0 : 4 * (ITERATIONS - 1), server.copiesLater());
            assertEquals(tracing ? 2 : 0, server.sitesRegistered());
            assertEquals(4 * elements * Integer.BYTES, server.crossingByteSize());
            assertEquals(Sessions.plannedByteSize(graph, "server:0", options(tracing, depth)),
                    server.plannedByteSize());
            // A worker changes the variable where it arrived, in its slot, and sends it from there.
            SessionStatistics worker = cluster.statistics.get("worker:1");
            assertEquals(2 * ITERATIONS, worker.transfersStatic());
            assertEquals(tracing ? 0 : 2 * ITERATIONS, worker.copiesFirst() + worker.copiesLater());
            assertEquals(server.copiesFirst() + server.copiesLater(),
                    cluster.devices.get("server:0").statistics().copies());
        }
    }

    @Test
    void registeredMemoryIsWhatThePlanSays() throws Exception {
        Graph graph = parameterServer(1 << 20);
        SessionOptions options = options(true, 1);
        long planned = Sessions.plannedByteSize(graph, "server:0", options);
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
                    assertTrue(message.contains("recv/c:0->b") || message.contains("task=b"), message);
                }
            });
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
            graph.add("dynamic", "worker:1", new Identity(), graph.add("x", "worker:0",
                    new Feed(TensorType.of(ElementType.INT32, PartialShape.UNKNOWN))).output());
            assertMessage("edge x:0->worker:1 from task=worker:0", () -> Sessions.distributed(graph, "worker:1",
                    cluster.endpoints, device, SessionOptions.defaults()));
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
