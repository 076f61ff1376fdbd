package dev.verbena.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * What must run before what although no tensor flows between them: a node that changes a variable in place runs after every
 * other reader of the variable's storage, Send nodes and readers of its aliases included (write after read).
 *
 * <p>An alias is followed through {@link Forwarding} operations and through the outputs of the mutating nodes themselves; who
 * reads a variable behind a mutating node is meant to see the change and is not ordered before it.
 */
final class ControlEdges {
    /** The storage of {@code variable}, as seen behind the changes of {@code mutators}. */
    private record Alias(Graph.Node variable, Set<Graph.Node> mutators) {}

    private record Reader(Graph.Node node, Alias alias) {}

    private final List<Graph.Node> nodes;
    private final Map<Graph.Output, Alias> aliases = new HashMap<>();
    private final Map<Graph.Node, List<Reader>> readers = new LinkedHashMap<>();
    private final Map<Graph.Node, List<Graph.Node>> mutators = new LinkedHashMap<>();
    private final Map<Graph.Node, Set<Graph.Node>> before = new HashMap<>();

    private ControlEdges(List<Graph.Node> nodes) {
        this.nodes = nodes;
    }

    /**
     * For each node those that run before it without feeding it.
     *
     * @param nodes inputs before users
     * @throws IllegalArgumentException if the order is contradictory or leaves open which of two changes comes first
     */
    static Map<Graph.Node, Set<Graph.Node>> of(List<Graph.Node> nodes) {
        ControlEdges edges = new ControlEdges(nodes);
        nodes.forEach(edges::followAliases);
        edges.mutators.forEach(edges::orderReaders);
        edges.sorted();
        edges.mutators.forEach(edges::checkOrderOfMutators);
        return edges.before;
    }

    /** The nodes in an order that respects inputs and control edges. */
    static List<Graph.Node> sorted(List<Graph.Node> nodes, Map<Graph.Node, Set<Graph.Node>> before) {
        ControlEdges edges = new ControlEdges(nodes);
        edges.before.putAll(before);
        return edges.sorted();
    }

    private void followAliases(Graph.Node node) {
        int mutated = node.operation().mutatedInput();
        for (int i = 0; i < node.inputs().size(); i++) {
            Alias alias = aliases.get(node.inputs().get(i));
            if (i == mutated) {
                mutate(node, alias, node.inputs().get(i));
            } else if (alias != null) {
                readers.computeIfAbsent(alias.variable, key -> new ArrayList<>()).add(new Reader(node, alias));
            }
        }
        if (node.operation() instanceof Variable) {
            aliases.put(node.output(), new Alias(node, Set.of()));
        } else if (node.operation() instanceof Forwarding && aliases.containsKey(node.inputs().getFirst())) {
            aliases.put(node.output(), aliases.get(node.inputs().getFirst()));
        }
    }

    private void mutate(Graph.Node node, Alias alias, Graph.Output input) {
        if (alias == null || !alias.variable.task().equals(node.task())) {
            throw new IllegalArgumentException(
                    "node '" + node + "' (" + node.operation().name() + ") changes its input " + input
                            + " in place, which is not a variable of its own task=" + node.task()
                            + "; give it the variable itself and place both on one task");
        }
        mutators.computeIfAbsent(alias.variable, key -> new ArrayList<>()).add(node);
        Set<Graph.Node> changes = new LinkedHashSet<>(alias.mutators);
        changes.add(node);
        for (int i = 0; i < node.outputTypes().size(); i++) {
            // A tensor of another size is not the variable's storage; whether one of the same size is, only the run tells.
            if (node.outputTypes().get(i).mayShareStorageWith(input.type())) {
                aliases.put(node.output(i), new Alias(alias.variable, changes));
            }
        }
    }

    private void orderReaders(Graph.Node variable, List<Graph.Node> changing) {
        for (Graph.Node mutator : changing) {
            for (Reader reader : readers.getOrDefault(variable, List.of())) {
                if (!reader.alias.mutators.contains(mutator) && !changing.contains(reader.node)) {
                    before.computeIfAbsent(mutator, key -> new LinkedHashSet<>()).add(reader.node);
                }
            }
        }
    }

    private void checkOrderOfMutators(Graph.Node variable, List<Graph.Node> changing) {
        for (int i = 0; i < changing.size(); i++) {
            for (int j = i + 1; j < changing.size(); j++) {
                Graph.Node one = changing.get(i);
                Graph.Node other = changing.get(j);
                if (!isAncestor(one, other) && !isAncestor(other, one)) {
                    throw new IllegalArgumentException(
                            "nodes '" + one + "' and '" + other + "' both change variable '" + variable
                                    + "' and nothing says which comes first; let one read the other's output");
                }
            }
        }
    }

    private boolean isAncestor(Graph.Node ancestor, Graph.Node of) {
        Deque<Graph.Node> open = new ArrayDeque<>(predecessors(of));
        Set<Graph.Node> seen = new HashSet<>(open);
        while (!open.isEmpty()) {
            Graph.Node node = open.pop();
            if (node == ancestor) {
                return true;
            }
            predecessors(node).stream().filter(seen::add).forEach(open::push);
        }
        return false;
    }

    private Set<Graph.Node> predecessors(Graph.Node node) {
        Set<Graph.Node> result = new LinkedHashSet<>();
        node.inputs().forEach(input -> result.add(input.node()));
        result.addAll(before.getOrDefault(node, Set.of()));
        return result;
    }

    /** Depth-first with a stack of our own: graphs may be deeper than a thread's. */
    private List<Graph.Node> sorted() {
        Set<Graph.Node> done = new LinkedHashSet<>();
        Set<Graph.Node> path = new LinkedHashSet<>();
        Deque<Graph.Node> open = new ArrayDeque<>();
        for (Graph.Node start : nodes) {
            open.push(start);
            while (!open.isEmpty()) {
                Graph.Node node = open.peek();
                if (done.contains(node) || !path.add(node)) {
                    path.remove(node);
                    done.add(open.pop());
                    continue;
                }
                for (Graph.Node predecessor : predecessors(node)) {
                    if (path.contains(predecessor)) {
                        throw new IllegalArgumentException(cycle(path, predecessor));
                    }
                    if (!done.contains(predecessor)) {
                        open.push(predecessor);
                    }
                }
            }
        }
        return List.copyOf(done);
    }

    private static String cycle(Set<Graph.Node> path, Graph.Node from) {
        List<String> names = new ArrayList<>();
        boolean inside = false;
        for (Graph.Node node : path) {
            inside |= node == from;
            if (inside) {
                names.add("'" + node + "'");
            }
        }
        names.add("'" + from + "'");
        return "nodes wait for each other: " + String.join(" waits for ", names)
                + "; a node that changes a variable waits for every other reader of it, so no reader may need its result";
    }
}
