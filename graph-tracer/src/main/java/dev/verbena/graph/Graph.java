package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A data-flow graph under construction: nodes with an operation, a task that they are placed on, inputs that are outputs of
 * earlier nodes, and control inputs that are earlier nodes; so it has no cycles. Every task of a cluster builds the same graph.
 *
 * <p><b>Owner:</b> whoever builds it. <b>Threading:</b> confined to one thread while it is built.
 *
 * <p>Shapes are inferred as nodes are added. The static inference of EuroSys'19 §3.4 repeats shape functions until nothing
 * changes; in a graph without cycles whose nodes come after their inputs, one pass in that order is that fixed point. An edge
 * is static when its type {@linkplain TensorType#isStatic() is}, dynamic otherwise.
 */
public final class Graph {
    private final Map<String, Node> nodes = new LinkedHashMap<>();
    private final Map<Output, Set<Node>> readers = new HashMap<>();

    /** An empty graph. */
    public Graph() {}

    /**
     * Adds a node without control inputs.
     *
     * @param name unique in the graph, not blank, without {@code ->}, which names of crossing edges are made with
     * @param task where it runs, such as {@code server:0}; the same rules
     * @throws IllegalArgumentException if the name is taken or bad, an input is of another graph, or the inputs do not fit
     */
    public Node add(String name, String task, Operation operation, Output... inputs) {
        return add(name, task, operation, List.of(inputs), List.of());
    }

    /**
     * Adds a node that runs after others of which it takes nothing: its control inputs, on whatever task. Who needs the node needs them.
     *
     * <p>A variable that the node reads it finds as they leave it: if what they wait for changes the variable in place, changed. Only on
     * the variable's own task, since what crosses is a variable as it was before it is changed; an {@link Identity} with the control
     * inputs, placed there, can be read anywhere.
     *
     * @param controlInputs nodes of this graph; named twice is named once
     * @throws IllegalArgumentException as {@link #add(String, String, Operation, Output...)}, and if a control input is of another graph
     */
    public Node add(String name, String task, Operation operation, List<Output> inputs, List<Node> controlInputs) {
        checkName("node", name);
        checkName("task", task);
        if (nodes.containsKey(name)) {
            throw new IllegalArgumentException("node name '" + name + "' is taken");
        }
        for (int mutated : operation.mutatedInputs()) {
            if (mutated < 0 || mutated >= inputs.size()) {
                throw new IllegalArgumentException("node '" + name + "' (" + operation.name()
                        + ") says that it mutates input " + mutated + " but has inputs=" + inputs.size());
            }
        }
        checkBranching(name, operation, inputs.size());
        List<TensorType> types = new ArrayList<>(inputs.size());
        for (Output input : inputs) {
            if (nodes.get(input.node().name()) != input.node()) {
                throw new IllegalArgumentException("input " + input + " of node '" + name + "' is not of this graph");
            }
            types.add(input.type());
        }
        for (Node controlInput : controlInputs) {
            if (nodes.get(controlInput.name()) != controlInput) {
                throw new IllegalArgumentException(
                        "control input '" + controlInput + "' of node '" + name + "' is not of this graph");
            }
        }
        List<TensorType> outputs;
        try {
            outputs = operation.infer(types);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("node '" + name + "' (" + operation.name() + "): " + e.getMessage(), e);
        }
        for (int i = 0; i < outputs.size(); i++) {
            if (operation.inPlaceInput(i) >= inputs.size()) {
                throw new IllegalArgumentException("node '" + name + "' (" + operation.name() + ") says inPlaceInput="
                        + operation.inPlaceInput(i) + " of output " + i + " but has inputs=" + inputs.size());
            }
        }
        Node node = new Node(name, task, operation, List.copyOf(inputs),
                List.copyOf(new LinkedHashSet<>(controlInputs)), List.copyOf(outputs));
        nodes.put(name, node);
        for (Output input : inputs) {
            readers.computeIfAbsent(input, key -> new LinkedHashSet<>()).add(node);
        }
        return node;
    }

    private static void checkBranching(String name, Operation operation, int inputCount) {
        if (operation.decidingInput() >= inputCount) {
            throw new IllegalArgumentException("node '" + name + "' (" + operation.name() + ") says decidingInput="
                    + operation.decidingInput() + " but has inputs=" + inputCount);
        }
        if (operation.mergesBranches() && inputCount == 0) {
            throw new IllegalArgumentException(
                    "node '" + name + "' (" + operation.name() + ") says that it merges branches but has inputs=0");
        }
    }

    /** The node of that name; throws {@link IllegalArgumentException} if there is none. */
    public Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("no node '" + name + "' in the graph");
        }
        return node;
    }

    /** The node of that name, if there is one. */
    public Optional<Node> find(String name) {
        return Optional.ofNullable(nodes.get(name));
    }

    /** All nodes, inputs and control inputs before users. */
    public List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    /** The nodes that read an output, each once, in order. */
    public Set<Node> readers(Output output) {
        return Collections.unmodifiableSet(readers.getOrDefault(output, Set.of()));
    }

    /** The tasks that nodes are placed on, in order of their first node. */
    public Set<String> tasks() {
        Set<String> tasks = new LinkedHashSet<>();
        for (Node node : nodes.values()) {
            tasks.add(node.task());
        }
        return tasks;
    }

    private static void checkName(String what, String name) {
        if (name.isBlank() || name.contains("->")) {
            throw new IllegalArgumentException(
                    "bad " + what + " name '" + name + "'; give one that is not blank and has no '->' in it");
        }
    }

    /**
     * A node of the graph.
     *
     * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
     *
     * @param name unique in the graph
     * @param task where it runs
     * @param operation what it computes
     * @param inputs what it reads, in the operation's order
     * @param controlInputs nodes that have run before it runs
     * @param outputTypes what is known of its outputs before the run
     */
    public record Node(String name, String task, Operation operation, List<Output> inputs, List<Node> controlInputs,
            List<TensorType> outputTypes) {
        /** One of its outputs, from 0. */
        public Output output(int index) {
            if (index < 0 || index >= outputTypes.size()) {
                throw new IllegalArgumentException("node '" + name + "' has no output " + index);
            }
            return new Output(this, index);
        }

        /** Its first output. */
        public Output output() {
            return output(0);
        }

        @Override
        public boolean equals(Object other) {
            return this == other;
        }

        @Override
        public int hashCode() {
            return System.identityHashCode(this);
        }

        @Override
        public String toString() {
            return name;
        }
    }

    /**
     * One output of a node.
     *
     * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
     *
     * @param node that computes it
     * @param index among the node's outputs, from 0
     */
    public record Output(Node node, int index) {
        /** What is known of its tensors before the run. */
        public TensorType type() {
            return node.outputTypes().get(index);
        }

        @Override
        public String toString() {
            return node.name() + ":" + index;
        }
    }
}
