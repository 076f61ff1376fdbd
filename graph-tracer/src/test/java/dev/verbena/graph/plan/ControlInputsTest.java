package dev.verbena.graph.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Identity;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.Mix;
import dev.verbena.graph.plan.TransferPlan.Protocol;
import dev.verbena.graph.plan.TransferPlan.Transfer;

/** What control inputs are to the plan: who waits for whom, what is needed, and what crosses for it. */
class ControlInputsTest {
    private static final long[] SHAPE = {4};
    private final Graph graph = new Graph();
    private final Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
    private final Node one = graph.add("one", "a", TestOperations.constant(SHAPE, 1));

    private Node constant(String name, String task, Node... controlInputs) {
        return graph.add(name, task, TestOperations.constant(SHAPE, 1), List.of(), List.of(controlInputs));
    }

    private static List<String> runs(Partition partition, Node... targets) {
        return RunPlan.of(partition, List.of(), List.of(targets)).steps().stream().map(step -> step.node().name())
                .toList();
    }

    private static Set<String> after(Partition partition, String name) {
        return partition.placed().stream().filter(placed -> placed.node().name().equals(name)).findFirst()
                .orElseThrow().after().stream().map(Node::name).collect(Collectors.toSet());
    }

    @Test
    void whatANodeWaitsForIsNeededAndRunsBefore() {
        Node late = constant("late", "a");
        Node x = constant("x", "a", late);
        Node aside = constant("aside", "a");
        Partition whole = Partition.whole(graph);
        assertEquals(Set.of("late"), after(whole, "x"));
        assertEquals(List.of("late", "x"), runs(whole, x));
        RunPlan plan = RunPlan.of(whole, List.of(x.output()), List.of());
        assertEquals(List.of(1), plan.steps().getFirst().successors());
        assertEquals(1, plan.steps().getLast().predecessorCount());
        assertEquals(0, plan.steps().getFirst().outputs().getFirst().readers(), "who waits holds no storage");
        assertEquals(List.of("aside"), runs(whole, aside));
    }

    @Test
    void thatANodeHasRunCrossesAsOneByteAndIsPlannedLikeAnyEdge() {
        Node x = constant("x", "b", one);
        Node y = constant("y", "b", one);
        Node z = constant("z", "c", one);
        List<CrossingEdge> edges = CrossingEdge.of(graph);
        assertEquals(List.of("one:control->b", "one:control->c"), edges.stream().map(CrossingEdge::name).toList());
        assertTrue(edges.getFirst().isControl());
        assertEquals(List.of(x, y), edges.getFirst().readers());
        assertThrows(IllegalStateException.class, edges.getFirst()::output);
        TransferPlan plan = TransferPlan.of(graph, 2);
        Transfer transfer = plan.transfers().getFirst();
        assertEquals(Protocol.STATIC_PLACEMENT, transfer.protocol());
        assertEquals(2, transfer.slots());
        assertEquals(TransferPlan.CONTROL_BYTE_SIZE, transfer.byteSize());
        assertEquals(2, plan.crossingByteSize("a"));
        assertEquals(1, plan.crossingPeakByteSize("a"), "the same byte to both");
        assertEquals(2, plan.crossingPeakByteSize("b"), "its slots");
        assertTrue(plan.plannedByteSize("a") > 0 && plan.plannedByteSize("b") > 0);

        Partition a = Partition.of(graph, "a");
        assertEquals(Set.of("one"), after(a, "send/one:control->b"));
        assertEquals(List.of("one", "send/one:control->b", "send/one:control->c"), runs(a, y, z));
        Partition b = Partition.of(graph, "b");
        assertEquals(Set.of("recv/one:control->b"), after(b, "x"));
        assertEquals(List.of("recv/one:control->b", "y"), runs(b, y, z));
        assertEquals(RunPlan.of(a, List.of(), List.of(y)).fingerprint("b"),
                RunPlan.of(b, List.of(), List.of(y)).fingerprint("a"));
    }

    @Test
    void whoWaitsIsInThePlansFingerprint() {
        constant("x", "b", one);
        String first = TransferPlan.of(graph, 1).fingerprint();
        constant("y", "b", one);
        String second = TransferPlan.of(graph, 1).fingerprint();
        assertNotEquals(first, second);
        constant("here", "a", one);
        assertEquals(second, TransferPlan.of(graph, 1).fingerprint(), "nothing that crosses");
    }

    /** Whose tensor has come has run. */
    @Test
    void whereAnOutputCrossesNothingElseDoes() {
        Node reader = graph.add("reader", "b", new Mix(1, false), List.of(one.output()), List.of(one));
        assertEquals(List.of("one:0->b"), CrossingEdge.of(graph).stream().map(CrossingEdge::name).toList());
        Node waits = constant("waits", "b", one);
        assertEquals(List.of("one:0->b", "one:control->b"),
                CrossingEdge.of(graph).stream().map(CrossingEdge::name).toList());
        Partition a = Partition.of(graph, "a");
        Partition b = Partition.of(graph, "b");
        assertEquals(List.of("one", "send/one:0->b"), runs(a, reader, waits));
        assertEquals(List.of("recv/one:0->b", "reader", "waits"), runs(b, reader, waits));
        RunPlan both = RunPlan.of(b, List.of(), List.of(reader, waits));
        assertEquals(1, both.steps().getLast().predecessorCount());
        assertEquals(List.of("one", "send/one:control->b"), runs(a, waits));
        assertEquals(List.of("recv/one:control->b", "waits"), runs(b, waits));
    }

    @Test
    void aVariableIsReadAsTheControlInputsLeaveIt() {
        Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        Node before = graph.add("before", "a", new Mix(1, false), w.output());
        Node between = constant("between", "b", apply);
        Node behind = graph.add("behind", "a", new Identity(), List.of(w.output()), List.of(between));
        graph.add("there", "b", new Mix(2, false), behind.output());
        ControlEdges whole = ControlEdges.of(graph.nodes());
        assertEquals(Set.of(before), whole.after(apply));
        assertEquals(Set.of(0), whole.settledInputs(behind));
        assertEquals(Set.of(), whole.settledInputs(before));
        Partition a = Partition.of(graph, "a");
        assertEquals(Set.of("before"), after(a, "apply"), "known by way of the other task");
        assertEquals(Set.of("recv/between:control->a"), after(a, "behind"));
    }

    @Test
    void theNextChangeComesAfterWhoReadsBehindTheOneBefore() {
        Node first = graph.add("first", "a", new AddTo(), w.output(), one.output());
        Node between = graph.add("between", "a", new Mix(1, false), List.of(w.output()), List.of(first));
        Node second = graph.add("second", "a", new AddTo(), List.of(w.output(), one.output()), List.of(first));
        graph.add("passedOn", "a", new Mix(1, false), second.output());
        ControlEdges edges = ControlEdges.of(graph.nodes());
        assertEquals(Set.of(), edges.after(first).stream().filter(node -> node == second).collect(Collectors.toSet()));
        assertEquals(Set.of(first, between), edges.after(second));
    }

    /** Nothing on their own task says so. */
    @Test
    void changesAreInOrderByWayOfOtherTasksToo() {
        Node first = graph.add("first", "a", new AddTo(), w.output(), one.output());
        Node far = constant("far", "b", first);
        Node second = graph.add("second", "a", new AddTo(), List.of(w.output(), one.output()), List.of(far));
        List<String> order = Partition.of(graph, "a").placed().stream().map(placed -> placed.node().name()).toList();
        assertTrue(order.containsAll(List.of("first", "second", "send/first:control->b", "recv/far:control->a")),
                order::toString);
        assertEquals(Set.of("recv/far:control->a"), after(Partition.of(graph, "a"), "second"));
        assertEquals(List.of(second), ControlEdges.of(graph.nodes()).sorted().stream().skip(4).toList());
    }

    @Test
    void whatCrossesIsNotReadBehindAChange() {
        Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        graph.add("far", "b", new Mix(1, false), List.of(w.output()), List.of(apply));
        for (String task : List.of("a", "b")) {
            assertEquals("node 'far' of task=b reads variable 'w' of task=a behind 'apply', which changes it, by its"
                    + " control inputs; what crosses is the variable before it is changed, so read an Identity of it that"
                    + " has the control inputs and is placed on task=a",
                    assertThrows(IllegalArgumentException.class, () -> Partition.of(graph, task)).getMessage());
        }
        assertThrows(IllegalArgumentException.class, () -> Partition.whole(graph));
    }

    /** An alias shows the variable as it was when it was made. */
    @Test
    void anAliasOfBeforeThatIsReadBehindTheChangeIsACycle() {
        Output alias = graph.add("alias", "a", new Identity(), w.output()).output();
        Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        Node next = constant("next", "a", apply);
        graph.add("torn", "a", new Mix(1, false), List.of(alias), List.of(next));
        String message = assertThrows(IllegalArgumentException.class, () -> Partition.whole(graph)).getMessage();
        assertTrue(message.contains("'apply' waits for 'torn' waits for 'next' waits for 'apply'"), message);
        assertThrows(IllegalArgumentException.class, () -> Partition.of(graph, "a"));
    }

    @Test
    void whoNeedsTheChangeByItsInputsAndReadsTheVariableIsACycle() {
        Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        Node other = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Node reader = graph.add("reader", "a", new Mix(1, false), List.of(other.output(), apply.output()), List.of());
        graph.add("change", "a", new AddTo(), List.of(other.output(), one.output()), List.of());
        graph.add("torn", "a", new Mix(1, false), List.of(other.output(), reader.output()), List.of(apply));
        assertEquals(Set.of("reader", "torn"), after(Partition.whole(graph), "change"));
        graph.add("last", "a", new Mix(1, false), w.output(), graph.node("torn").output());
        String message = assertThrows(IllegalArgumentException.class, () -> Partition.whole(graph)).getMessage();
        assertTrue(message.contains("'apply' waits for 'last' waits for 'torn' waits for "), message);
    }
}
