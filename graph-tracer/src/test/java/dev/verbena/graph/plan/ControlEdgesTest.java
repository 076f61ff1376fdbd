package dev.verbena.graph.plan;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Reshape;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TestOperations;
import dev.verbena.graph.TestOperations.AddTo;
import dev.verbena.graph.TestOperations.AddToAll;
import dev.verbena.graph.TestOperations.Mix;

class ControlEdgesTest {
    private static final long[] SHAPE = {4};
    private final Graph graph = new Graph();
    private final Graph.Node w = graph.add("w", "a", TestOperations.variable(SHAPE, 1));
    private final Graph.Node one = graph.add("one", "a", TestOperations.constant(SHAPE, 1));

    private static Map<String, Set<String>> byName(Map<Graph.Node, Set<Graph.Node>> before) {
        return before.entrySet().stream().collect(Collectors.toMap(entry -> entry.getKey().name(),
                entry -> entry.getValue().stream().map(Graph.Node::name).collect(Collectors.toSet())));
    }

    @Test
    void aChangeComesAfterEveryReaderOfTheVariableAndItsAliases() {
        graph.add("apply", "a", new AddTo(), w.output(), one.output());
        graph.add("reader", "a", new Mix(1, false), w.output());
        Graph.Node alias = graph.add("alias", "a", new Identity(), w.output());
        Graph.Node grid = graph.add("grid", "a", new Reshape(SymbolicShape.of(2, 2)), alias.output());
        graph.add("aliasReader", "a", new Mix(1, false), grid.output());
        graph.add("unrelated", "a", new Mix(1, false), one.output());
        assertEquals(Map.of("apply", Set.of("reader", "alias", "grid", "aliasReader")),
                byName(ControlEdges.of(graph.nodes()).before()));
    }

    @Test
    void aNodeThatChangesSeveralComesAfterTheReadersOfEach() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        graph.add("apply", "a", new AddToAll(), w.output(), v.output(), one.output());
        graph.add("ofW", "a", new Mix(1, false), w.output());
        graph.add("ofV", "a", new Mix(1, false), v.output());
        assertEquals(Map.of("apply", Set.of("ofW", "ofV")), byName(ControlEdges.of(graph.nodes()).before()));
    }

    @Test
    void anOutputIsTheStorageOfOneChangedVariableAtMost() {
        Graph.Node v = graph.add("v", "a", TestOperations.variable(SHAPE, 1));
        Operation either = new TestOperations.Mutator("AddToEither", Set.of(0, 1));
        graph.add("apply", "a", either, w.output(), v.output(), one.output());
        String message = assertThrows(IllegalArgumentException.class, () -> ControlEdges.of(graph.nodes()))
                .getMessage();
        assertEquals("node 'apply' (AddToEither) changes variables 'w' and 'v', and its output 0 may be either; give it"
                + " outputs of another size, or none", message);
    }

    @Test
    void sendsAreReaders() {
        graph.add("apply", "a", new AddTo(), w.output(), one.output());
        graph.add("remote", "b", new Mix(1, false), w.output());
        Partition partition = Partition.of(graph, "a");
        List<String> order = partition.placed().stream().map(placed -> placed.node().name()).toList();
        assertTrue(order.indexOf("send/w:0->b") < order.indexOf("apply"), order::toString);
    }

    @Test
    void whoReadsBehindTheChangeIsNotOrderedBeforeIt() {
        Graph.Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        graph.add("after", "a", new Mix(1, false), apply.output());
        assertEquals(Map.of(), byName(ControlEdges.of(graph.nodes()).before()));
    }

    @Test
    void orderedChangesAreFine() {
        Graph.Node first = graph.add("first", "a", new AddTo(), w.output(), one.output());
        Graph.Node between = graph.add("between", "a", new Mix(1, false), first.output());
        graph.add("second", "a", new AddTo(), first.output(), between.output());
        graph.add("reader", "a", new Mix(1, false), w.output());
        assertEquals(Map.of("first", Set.of("reader"), "second", Set.of("reader", "between")),
                byName(ControlEdges.of(graph.nodes()).before()));
    }

    @Test
    void unorderedChangesAreAnError() {
        graph.add("first", "a", new AddTo(), w.output(), one.output());
        graph.add("second", "a", new AddTo(), w.output(), one.output());
        String message = assertThrows(IllegalArgumentException.class, () -> ControlEdges.of(graph.nodes()))
                .getMessage();
        assertTrue(message.startsWith("nodes 'first' and 'second' both change variable 'w'"), message);
    }

    @Test
    void aReaderThatNeedsTheChangeIsACycleWithItsNodesNamed() {
        Graph.Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        Graph.Node after = graph.add("after", "a", new Mix(1, false), apply.output());
        graph.add("torn", "a", new Mix(1, false), w.output(), after.output());
        String message = assertThrows(IllegalArgumentException.class, () -> ControlEdges.of(graph.nodes()))
                .getMessage();
        assertTrue(message.contains("'apply' waits for 'torn' waits for 'after' waits for 'apply'"), message);
        assertThrows(IllegalArgumentException.class, () -> Partition.whole(graph));
    }

    @Test
    void aContradictionOnAnyTaskIsFoundOnEveryTask() {
        Graph.Node apply = graph.add("apply", "a", new AddTo(), w.output(), one.output());
        graph.add("torn", "b", new Mix(1, false), w.output(), apply.output());
        assertThrows(IllegalArgumentException.class, () -> Partition.of(graph, "b"));
    }

    @Test
    void onlyAVariableOfTheSameTaskCanBeChanged() {
        graph.add("far", "b", new AddTo(), w.output(), one.output());
        String message = assertThrows(IllegalArgumentException.class, () -> Partition.of(graph, "a")).getMessage();
        assertTrue(message.contains("node 'far' (AddTo)") && message.contains("task=b"), message);

        Graph other = new Graph();
        Graph.Node x = other.add("x", "a", TestOperations.constant(SHAPE, 1));
        other.add("m", "a", new AddTo(), x.output(), x.output());
        assertThrows(IllegalArgumentException.class, () -> Partition.whole(other));
    }

    @Test
    void deepGraphsNeedNoDeepStack() {
        Graph.Output last = one.output();
        for (int i = 0; i < 50_000; i++) {
            last = graph.add("n" + i, "a", new Identity(), last).output();
        }
        assertEquals(50_002, ControlEdges.of(graph.nodes()).sorted().size());
    }
}
