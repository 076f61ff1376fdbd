package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * A data-flow graph under construction: nodes with an operation, a task that they are placed on, and inputs that are outputs
 * of earlier nodes; so it has no cycles. Every task of a cluster builds the same graph.
 *
 * <p><b>Owner:</b> whoever builds it. <b>Threading:</b> confined to one thread while it is built.
 */
public final class Graph {
    private final Map<String, Node> nodes = new LinkedHashMap<>();

    /** An empty graph. */
    public Graph() {}

    /**
     * Adds a node.
     *
     * @param name unique in the graph
     * @param task where it runs, such as {@code server:0}
     * @throws IllegalArgumentException if the name is taken, an input is of another graph, or the inputs do not fit
     */
    public Node add(String name, String task, Operation operation, Output... inputs) {
        if (nodes.containsKey(name)) {
            throw new IllegalArgumentException("node name '" + name + "' is taken");
        }
        List<TensorType> types = new ArrayList<>(inputs.length);
        for (Output input : inputs) {
            if (nodes.get(input.node().name()) != input.node()) {
                throw new IllegalArgumentException("input " + input + " of node '" + name + "' is not of this graph");
            }
            types.add(input.type());
        }
        List<TensorType> outputs;
        try {
            outputs = operation.infer(types);
        } catch (IllegalArgumentException e) {
            throw new IllegalArgumentException("node '" + name + "' (" + operation.name() + "): " + e.getMessage(), e);
        }
        Node node = new Node(name, task, operation, List.of(inputs), List.copyOf(outputs));
        nodes.put(name, node);
        return node;
    }

    /** The node of that name. @throws IllegalArgumentException if there is none */
    public Node node(String name) {
        Node node = nodes.get(name);
        if (node == null) {
            throw new IllegalArgumentException("no node '" + name + "' in the graph");
        }
        return node;
    }

    /** All nodes, inputs before users. */
    public List<Node> nodes() {
        return List.copyOf(nodes.values());
    }

    /** Nodes by name, in order. */
    Map<String, Node> byName() {
        return Collections.unmodifiableMap(nodes);
    }

    /**
     * A node of the graph.
     *
     * <p><b>Owner:</b> the graph. <b>Threading:</b> immutable.
     */
    public record Node(String name, String task, Operation operation, List<Output> inputs,
            List<TensorType> outputTypes) {
        public Output output(int index) {
            if (index < 0 || index >= outputTypes.size()) {
                throw new IllegalArgumentException("node '" + name + "' has no output " + index);
            }
            return new Output(this, index);
        }

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
     */
    public record Output(Node node, int index) {
        public TensorType type() {
            return node.outputTypes().get(index);
        }

        @Override
        public String toString() {
            return node.name() + ":" + index;
        }
    }
}
