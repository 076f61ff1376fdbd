package dev.verbena.graph.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.run.SessionOptions;
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
        Graph.Node x = graph.add("x", "a",
                new Feed(new TensorType(ElementType.INT32, SymbolicShape.of(Dimension.symbol("N")))));
        Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
        graph.add("y", "b", new Mix(1, false), x.output());
        graph.add("z", "b", new Mix(1, false), w.output());
        graph.add("z2", "c", new Mix(1, false), w.output());
        TransferPlan plan = TransferPlan.of(graph, 3);
        assertEquals(List.of("x:0->b", "w:0->b", "w:0->c"),
                plan.transfers().stream().map(transfer -> transfer.edge().name()).toList());
        assertEquals(TransferPlan.Protocol.DYNAMIC_ALLOCATION, plan.transfers().get(0).protocol());
        assertEquals(3, plan.transfers().get(1).slots());
        assertEquals(16, plan.transfers().get(1).byteSize());
        assertTrue(
                plan.toString().lines().anyMatch(line -> line.matches("w:0->b +STATIC_PLACEMENT +3 +16 +INT32\\[4\\]")),
                plan.toString());

        assertTrue(plan.isDynamic("a") && plan.isDynamic("b") && !plan.isDynamic("c"));
        assertTrue(plan.plannedByteSize("c") > 0);
        assertEquals(plan.plannedByteSize("c"), plan.plannedByteSize("b"), "only what is known can be planned");
        assertEquals(2 * 16, plan.crossingByteSize("a"));
    }

    @Test
    void whereMemoryIsMappedLargeVariablesAreLentAndNothingElse() {
        Graph.Node w = graph.add("w", "a", TestOperations.variable(new long[]{1000}, 1));
        Graph.Node small = graph.add("small", "a", TestOperations.variable(new long[]{999}, 1));
        Graph.Node handedOn = graph.add("handedOn", "a", TestOperations.variable(new long[]{1000}, 1));
        Graph.Node made = graph.add("made", "a", TestOperations.constant(new long[]{1000}, 1));
        graph.add("y", "b", new Mix(1, false), w.output(), made.output());
        graph.add("z", "c", new Mix(1, false), w.output());
        graph.add("s", "b", new Mix(1, false), small.output());
        Graph.Node alias = graph.add("alias", "b", new Identity(), handedOn.output());
        Graph.Node again = graph.add("again", "b", new Identity(), alias.output());
        graph.add("ours", "b", new Mix(1, false), alias.output());
        TransferPlan known = TransferPlan.of(graph, 2);
        assertEquals(List.of("w:0->b", "w:0->c", "handedOn:0->b"), lent(known.lending(4000)));
        graph.add("theirs", "c", new Mix(1, false), again.output());
        known = TransferPlan.of(graph, 2);
        TransferPlan plan = known.lending(4000);
        assertEquals(List.of("w:0->b", "w:0->c"), lent(plan));
        assertEquals(List.of(), lent(known));
        assertEquals(List.of(), lent(known.carried().lending(4000)));
        assertTrue(plan.lends("a") && !plan.lends("b") && !plan.lends("c"));
        assertEquals(known.plannedByteSize("a"), plan.plannedByteSize("a"), "lent or written, it is registered");
        assertEquals(known.crossingPeakByteSize("b") - 2 * 4000, plan.crossingPeakByteSize("b"), "no slots");
        assertTrue(plan.slotByteSize("b") <= known.slotByteSize("b") - 2 * 4000);
        assertNotEquals(known.fingerprint(), plan.fingerprint());
    }

    private static List<String> lent(TransferPlan plan) {
        return plan.transfers().stream().filter(transfer -> transfer.protocol() == TransferPlan.Protocol.LOAN)
                .map(transfer -> transfer.edge().name()).toList();
    }

    @Test
    void aSenderPlansEachTensorOnceHoweverManyReadIt() {
        long elements = 1 << 20;
        Graph.Node w = graph.add("w", "a", TestOperations.variable(new long[]{elements}, 1));
        graph.add("y", "b", new Mix(1, false), w.output());
        graph.add("z", "c", new Mix(1, false), w.output());
        long planned = SessionOptions.defaults().plan(graph, false).plannedByteSize("a");
        assertTrue(planned >= 4 * elements && planned < 1.05 * 4 * elements, "planned=" + planned);
        assertEquals(2 * 4 * elements, TransferPlan.of(graph, 1).crossingByteSize("a"));
        assertEquals(4 * elements, TransferPlan.of(graph, 3).crossingPeakByteSize("a"));
        assertEquals(3 * 4 * elements, TransferPlan.of(graph, 3).crossingPeakByteSize("b"), "its slots");
        assertThrows(IllegalArgumentException.class, () -> TransferPlan.of(graph, 3).crossingPeakByteSize("d"));
    }

    /** Behind an alias and at the end of a chain too; where nobody else reads the input there is one tensor only. */
    @Test
    void aSenderPlansBothLinksOfAnInPlaceChainThatCanBothBeLive() {
        long elements = 1 << 20;
        Graph.Node c = graph.add("c", "a", TestOperations.constant(new long[]{elements}, 1));
        Graph.Node alias = graph.add("alias", "a", new Identity(), c.output());
        Graph.Node first = graph.add("first", "a", new Mix(1, true), alias.output());
        Graph.Node second = graph.add("second", "a", new Mix(2, true), first.output());
        graph.add("remote", "b", new Mix(3, false), second.output());
        assertPlanned(1, elements);
        graph.add("reader", "a", new Mix(4, false), c.output());
        assertPlanned(2, elements);
        graph.add("also", "a", new Mix(5, false), first.output());
        assertPlanned(3, elements);
    }

    private void assertPlanned(int tensors, long elements) {
        long planned = TransferPlan.of(graph, 1).plannedByteSize("a");
        assertTrue(planned >= tensors * 4 * elements && planned < 1.05 * tensors * 4 * elements, "planned=" + planned);
    }

    /** Each has blocks of its own. */
    @Test
    void thereIsRoomForWhatSoManyThreadsAllocate() {
        for (int i = 0; i < 8; i++) {
            Graph.Node w = graph.add("w" + i, "a", TestOperations.constant(new long[]{100}, 1));
            graph.add("y" + i, "b", new Mix(1, false), w.output());
        }
        SessionOptions two = SessionOptions.defaults();
        SessionOptions eight = two.withAllocatingThreads(8);
        assertEquals(two, two.withAllocatingThreads(2));
        long plannedForTwo = two.plan(graph, false).plannedByteSize("a");
        long plannedForEight = eight.plan(graph, false).plannedByteSize("a");
        assertTrue(plannedForEight > plannedForTwo, plannedForEight + " " + plannedForTwo);
        assertEquals(TransferPlan.of(graph, 1).fingerprint(), TransferPlan.of(graph, 1, 8).fingerprint());
        assertThrows(IllegalArgumentException.class, () -> two.withAllocatingThreads(0));
    }

    @Test
    void aPlanIsToldFromOthersByItsFingerprint() {
        Graph.Node w = graph.add("w", "a", TestOperations.constant(SHAPE, 1));
        graph.add("y", "b", new Mix(1, false), w.output());
        String first = TransferPlan.of(graph, 1).fingerprint();
        assertTrue(first.matches("[0-9a-f]{16}"), first);
        assertEquals(first, TransferPlan.of(graph, 1).fingerprint());
        assertNotEquals(first, TransferPlan.of(graph, 2).fingerprint());
        graph.add("z", "b", new Mix(1, false), w.output());
        String second = TransferPlan.of(graph, 1).fingerprint();
        assertNotEquals(first, second, "who reads it");
        graph.add("here", "a", new Mix(1, false), w.output());
        assertEquals(second, TransferPlan.of(graph, 1).fingerprint(), "nothing that crosses");
    }

    @Test
    void aReceiverPlansEverySlot() {
        long elements = 1 << 20;
        Graph.Node w = graph.add("w", "a", TestOperations.variable(new long[]{elements}, 1));
        graph.add("y", "b", new Mix(1, false), w.output());
        graph.add("z", "c", TestOperations.constant(SHAPE, 1));
        SessionOptions options = new SessionOptions(true, 3, SessionOptions.defaults().timeout());
        long planned = options.plan(graph, false).plannedByteSize("b");
        assertTrue(planned >= 3 * 4 * elements && planned < 1.05 * 3 * 4 * elements, "planned=" + planned);
        assertEquals(0, options.plan(graph, false).plannedByteSize("c"));
        assertThrows(IllegalArgumentException.class, () -> options.plan(graph, false).plannedByteSize("d"));
    }
}
