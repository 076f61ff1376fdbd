package dev.verbena.graph.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Operation;
import dev.verbena.graph.Variable;

/**
 * What must run before what although no tensor flows between them: control inputs before the nodes that have them, and a node that changes a
 * variable in place after every other reader of the variable's storage, Send nodes and readers of its aliases included (write after read).
 *
 * <p>An alias is followed through operations that {@linkplain Operation#forwards() forward} and through the outputs of the mutating nodes themselves; who
 * reads a variable behind a mutating node is meant to see the change and is not ordered before it. Behind it is who reads what it passes on, and
 * who reads the variable itself and has it among its control inputs, or what those wait for.
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
    /** Of nodes that read a variable itself and have control inputs: those that change variables among all that these wait for. */
    private final Map<Graph.Node, Set<Graph.Node>> behind;
    private final Map<Graph.Node, Set<Integer>> settledInputs = new HashMap<>();
    private List<Graph.Node> sorted;

    private ControlEdges(List<Graph.Node> nodes, Map<Graph.Node, Set<Graph.Node>> behind) {
        this.nodes = nodes;
        this.behind = behind;
    }

    /**
     * Of a whole graph.
     *
     * @param nodes inputs and control inputs before users
     * @throws IllegalArgumentException if the order is contradictory or leaves open which of two changes comes first
     */
    static ControlEdges of(List<Graph.Node> nodes) {
        Map<Graph.Node, Set<Graph.Node>> behind = new HashMap<>();
        for (Graph.Node node : nodes) {
            if (!node.controlInputs().isEmpty() && node.inputs().stream().anyMatch(ControlEdges::isVariable)) {
                behind.put(node, mutatorsAmong(node.controlInputs()));
            }
        }
        ControlEdges edges = new ControlEdges(nodes, behind);
        edges.order();
        edges.mutators.forEach(edges::checkOrderOfMutators);
        return edges;
    }

    /**
     * Of a part of the graph that these are of. Which change comes first the whole has settled, maybe by way of other tasks.
     *
     * @param part inputs and control inputs before users
     * @param placed how nodes of the whole run there
     */
    ControlEdges within(List<Graph.Node> part, Map<Graph.Node, Graph.Node> placed) {
        Map<Graph.Node, Set<Graph.Node>> there = new HashMap<>();
        behind.forEach((node, changing) -> {
            if (placed.containsKey(node)) {
                Set<Graph.Node> nodesThere = new HashSet<>();
                changing.stream().filter(placed::containsKey).map(placed::get).forEach(nodesThere::add);
                there.put(placed.get(node), nodesThere);
            }
        });
        ControlEdges edges = new ControlEdges(part, there);
        edges.order();
        return edges;
    }

    private void order() {
        nodes.forEach(this::followAliases);
        mutators.forEach(this::orderReaders);
        sorted = sort();
    }

    private static boolean isVariable(Graph.Output output) {
        return output.node().operation() instanceof Variable;
    }

    /** Those that change variables, among the nodes and all that they wait for. */
    private static Set<Graph.Node> mutatorsAmong(List<Graph.Node> nodes) {
        Set<Graph.Node> seen = new HashSet<>(nodes);
        Deque<Graph.Node> open = new ArrayDeque<>(nodes);
        Set<Graph.Node> changing = new HashSet<>();
        while (!open.isEmpty()) {
            Graph.Node node = open.pop();
            if (!node.operation().mutatedInputs().isEmpty()) {
                changing.add(node);
            }
            node.inputs().stream().map(Graph.Output::node).filter(seen::add).forEach(open::push);
            node.controlInputs().stream().filter(seen::add).forEach(open::push);
        }
        return changing;
    }

    /** For each node that changes a variable, and has to wait, those whose reading it waits for. */
    Map<Graph.Node, Set<Graph.Node>> before() {
        return before;
    }

    /** The nodes in an order that respects inputs, control inputs and control edges. */
    List<Graph.Node> sorted() {
        return sorted;
    }

    /** Nodes that run before another without feeding it. */
    Set<Graph.Node> after(Graph.Node node) {
        Set<Graph.Node> result = new LinkedHashSet<>(node.controlInputs());
        result.addAll(before.getOrDefault(node, Set.of()));
        return Collections.unmodifiableSet(result);
    }

    /** Which inputs a node changes in place, or reads behind a change. */
    Set<Integer> settledInputs(Graph.Node node) {
        return settledInputs.getOrDefault(node, Set.of());
    }

    private void followAliases(Graph.Node node) {
        Set<Integer> settled = new HashSet<>(node.operation().mutatedInputs());
        for (int i = 0; i < node.inputs().size(); i++) {
            Graph.Output input = node.inputs().get(i);
            Alias alias = alias(node, input);
            if (alias != aliases.get(input)) {
                settled.add(i);
            }
            if (node.operation().mutatedInputs().contains(i)) {
                mutate(node, alias, input);
            } else if (alias != null) {
                readers.computeIfAbsent(alias.variable, key -> new ArrayList<>()).add(new Reader(node, alias));
            }
        }
        if (!settled.isEmpty()) {
            settledInputs.put(node, Set.copyOf(settled));
        }
        if (node.operation() instanceof Variable) {
            aliases.put(node.output(), new Alias(node, Set.of()));
        } else if (node.operation().forwards() && aliases.containsKey(node.inputs().getFirst())) {
            aliases.put(node.output(), alias(node, node.inputs().getFirst()));
        }
    }

    /** What an input is to a node: a variable itself is what the node's control inputs leave of it. */
    private Alias alias(Graph.Node node, Graph.Output input) {
        Alias alias = aliases.get(input);
        if (alias == null || input.node() != alias.variable) {
            return alias;
        }
        Set<Graph.Node> changes = new LinkedHashSet<>(mutators.getOrDefault(alias.variable, List.of()));
        changes.retainAll(behind.getOrDefault(node, Set.of()));
        changes.remove(node);
        if (changes.isEmpty()) {
            return alias;
        }
        if (!node.task().equals(alias.variable.task())) {
            throw new IllegalArgumentException("node '" + node + "' of task=" + node.task() + " reads variable '"
                    + alias.variable + "' of task=" + alias.variable.task() + " behind '" + changes.iterator().next()
                    + "', which changes it, by its control inputs; what crosses is the variable before it is changed, so"
                    + " read an Identity of it that has the control inputs and is placed on task="
                    + alias.variable.task());
        }
        return new Alias(alias.variable, changes);
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
                Alias other = aliases.put(node.output(i), new Alias(alias.variable, changes));
                if (other != null) {
                    throw new IllegalArgumentException("node '" + node + "' (" + node.operation().name()
                            + ") changes variables '" + other.variable + "' and '" + alias.variable
                            + "', and its output " + i + " may be either; give it outputs of another size, or none");
                }
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
                                    + "' and nothing says which comes first; let one read the other's output, or have it as"
                                    + " a control input");
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
        result.addAll(node.controlInputs());
        result.addAll(before.getOrDefault(node, Set.of()));
        return result;
    }

    /** Depth-first with a stack of our own: graphs may be deeper than a thread's. */
    private List<Graph.Node> sort() {
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
                + "; a node that changes a variable waits for every other reader of it, so no reader may need its result;"
                + " one that has it as a control input reads the variable when it is changed";
    }
}
