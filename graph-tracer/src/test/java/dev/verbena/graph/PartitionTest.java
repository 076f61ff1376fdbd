package dev.verbena.graph;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.memory.ElementType;

class PartitionTest {
    private static final long[] SHAPE = {4};
    private final Graph graph = new Graph();

    private static List<String> names(Partition partition) {
        return partition.placed().stream().map(placed -> placed.node().name()).toList();
    }

    private static List<String> inputs(Partition partition, String name) {
        return partition.placed().stream().filter(placed -> placed.node().name().equals(name)).findFirst().orElseThrow()
                .node().inputs().stream().map(Graph.Output::toString).toList();
    }

    @Test
    void threeTasksShareOneSendPerReadingTask() {
        Graph.Node w = graph.add("w", "server:0", TestOperations.variable(SHAPE, 1));
        Graph.Node a = graph.add("a", "worker:0", new Mix(1, false), w.output());
        Graph.Node b = graph.add("b", "worker:0", new Mix(2, false), w.output(), a.output());
        Graph.Node c = graph.add("c", "worker:1", new Mix(3, false), w.output());
        graph.add("sum", "server:0", new Mix(4, false), b.output(), c.output());

        Partition server = Partition.of(graph, "server:0");
        assertEquals(
                List.of("recv/b:0->server:0", "recv/c:0->server:0", "w", "send/w:0->worker:0", "send/w:0->worker:1",
                        "sum"),
                names(server));
        assertEquals(List.of("recv/b:0->server:0:0", "recv/c:0->server:0:0"), inputs(server, "sum"));
        assertEquals(List.of("w:0"), inputs(server, "send/w:0->worker:1"));

        Partition worker = Partition.of(graph, "worker:0");
        assertEquals(List.of("recv/w:0->worker:0", "a", "b", "send/b:0->server:0"), names(worker));
        assertEquals(List.of("recv/w:0->worker:0:0", "a:0"), inputs(worker, "b"));
        assertEquals(List.of("recv/w:0->worker:1", "c", "send/c:0->server:0"), names(Partition.of(graph, "worker:1")));
        assertEquals(4, CrossingEdge.of(graph).size());
    }

    @Test
    void aWholeGraphNeedsNoTransfers() {
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
        graph.add("x", "b", new Mix(1, false), w.output());
        Partition whole = Partition.whole(graph);
        assertEquals(List.of("w", "x"), names(whole));
        assertEquals(List.of(), whole.sends());
    }

    @Test
    void anUnknownTaskIsNamedWithTheKnownOnes() {
        graph.add("w", "server:0", TestOperations.variable(SHAPE, 1));
        String message = assertThrows(IllegalArgumentException.class, () -> Partition.of(graph, "worker:7"))
                .getMessage();
        assertEquals("no node is placed on task=worker:7; the graph has tasks=[server:0]", message);
    }

    @Test
    void namesThatNoEndAcceptsAreRefused() {
        Graph.Node w = graph.add("w".repeat(510), "a", TestOperations.variable(SHAPE, 1));
        graph.add("x", "b", new Mix(1, false), w.output());
        String message = assertThrows(IllegalArgumentException.class, () -> CrossingEdge.of(graph)).getMessage();
        assertTrue(message.contains("byteSize=515"), message);
    }

    @Test
    void theplanSaysProtocolSlotsAndBytes() {
        Graph.Node x = graph.add("x", "a", new Feed(TensorType.of(ElementType.INT32, PartialShape.UNKNOWN)));
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
        graph.add("y", "b", new Mix(1, false), x.output());
        graph.add("z", "b", new Mix(1, false), w.output());
        graph.add("z2", "c", new Mix(1, false), w.output());
        TransferPlan plan = TransferPlan.of(graph, new SessionOptions(true, 3, SessionOptions.defaults().timeout()));
        assertEquals(List.of("x:0->b", "w:0->b", "w:0->c"),
                plan.transfers().stream().map(transfer -> transfer.edge().name()).toList());
        assertEquals(TransferPlan.Protocol.DYNAMIC_ALLOCATION, plan.transfers().get(0).protocol());
        assertEquals(3, plan.transfers().get(1).slots());
        assertEquals(16, plan.transfers().get(1).byteSize());
        assertTrue(
                plan.toString().lines().anyMatch(line -> line.matches("w:0->b +STATIC_PLACEMENT +3 +16 +INT32\\[4\\]")),
                plan.toString());

        String message = assertThrows(IllegalArgumentException.class, () -> plan.plannedByteSize("b")).getMessage();
        assertTrue(message.contains("edge x:0->b from task=a") && message.contains("INT32[?]"), message);
        assertTrue(plan.plannedByteSize("c") > 0, "a task that the dynamic edge does not concern can be planned");
    }

    @Test
    void aSenderPlansEachTensorOnceHoweverManyReadIt() {
        long elements = 1 << 20;
        Graph.Node w = graph.add("w", "a", TestOperations.variable(new long[]{elements}, 1));
        graph.add("y", "b", new Mix(1, false), w.output());
        graph.add("z", "c", new Mix(1, false), w.output());
        long planned = Sessions.plannedByteSize(graph, "a", SessionOptions.defaults());
        assertTrue(planned >= 4 * elements && planned < 1.05 * 4 * elements, "planned=" + planned);
        assertEquals(2 * 4 * elements, TransferPlan.of(graph, SessionOptions.defaults()).crossingByteSize("a"));
    }

    @Test
    void aReceiverPlansEverySlot() {
        long elements = 1 << 20;
        Graph.Node w = graph.add("w", "a", TestOperations.variable(new long[]{elements}, 1));
        graph.add("y", "b", new Mix(1, false), w.output());
        graph.add("z", "c", TestOperations.constant(SHAPE, 1));
        SessionOptions options = new SessionOptions(true, 3, SessionOptions.defaults().timeout());
        long planned = Sessions.plannedByteSize(graph, "b", options);
        assertTrue(planned >= 3 * 4 * elements && planned < 1.05 * 3 * 4 * elements, "planned=" + planned);
        assertEquals(0, Sessions.plannedByteSize(graph, "c", options));
        assertThrows(IllegalArgumentException.class, () -> Sessions.plannedByteSize(graph, "d", options));
    }
}
