package dev.verbena.graph.gradient;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * Appends to a graph the nodes that compute the gradients of a loss: reverse mode, from the loss back to what it is derived by, each node
 * after all that read it.
 *
 * <p>Source: Griewank, Walther, <i>Evaluating Derivatives</i>, 2nd ed., chapter 3.
 *
 * <p><b>Owner:</b> who builds the graph. <b>Threading:</b> confined to it.
 */
public final class Gradients {
    /** What comes back from one input of one node. */
    private record Contribution(Node reader, int input, Output gradient) {}

    private final Graph graph;
    private final Output loss;
    private final GradientRules rules;
    private final Set<Output> dependent = new HashSet<>();
    private final Map<Output, List<Contribution>> contributions = new HashMap<>();

    private Gradients(Graph graph, Output loss, GradientRules rules) {
        this.graph = graph;
        this.loss = loss;
        this.rules = rules;
    }

    /**
     * A gradient's nodes run where the node runs that they lead through, and have its name and more behind it.
     *
     * @param loss a scalar
     * @param by outputs on which it depends, such as variables
     * @return the gradient by each, of its type
     * @throws IllegalArgumentException if the loss is no scalar or does not depend on one of them, if a node between has no rule, or if the
     *         gradients of a second loss would go through nodes that have those of a first
     */
    public static List<Output> append(Graph graph, Output loss, List<Output> by, GradientRules rules) {
        if (loss.type().shape().rank() != 0) {
            throw new IllegalArgumentException("loss " + loss + " is " + loss.type() + "; give a scalar");
        }
        return new Gradients(graph, loss, rules).append(by);
    }

    private List<Output> append(List<Output> by) {
        List<Node> nodes = graph.nodes();
        findDependent(nodes, by);
        for (Node node : nodes.reversed()) {
            walkThrough(node);
        }
        return by.stream().map(this::gradientBy).toList();
    }

    /** What depends on that by which the loss is derived, itself among it. */
    private void findDependent(List<Node> nodes, List<Output> by) {
        dependent.addAll(by);
        for (Node node : nodes) {
            if (node.inputs().stream().anyMatch(dependent::contains)) {
                for (int i = 0; i < node.outputTypes().size(); i++) {
                    dependent.add(node.output(i));
                }
            }
        }
    }

    private void walkThrough(Node node) {
        boolean[] wanted = new boolean[node.inputs().size()];
        boolean isBetween = false;
        for (int i = 0; i < wanted.length; i++) {
            wanted[i] = dependent.contains(node.inputs().get(i));
            isBetween |= wanted[i];
        }
        if (!isBetween || !isReached(node)) {
            return;
        }
        Output[] gradients = new Output[node.outputTypes().size()];
        for (int i = 0; i < gradients.length; i++) {
            gradients[i] = gradient(node.output(i));
        }
        Backward backward = new Backward(graph, node, loss, gradients, wanted);
        if (!rules.append(backward)) {
            throw new IllegalArgumentException("node '" + node + "' (" + node.operation().name() + ") is between loss "
                    + loss + " and what it is derived by, and there is no gradient rule for "
                    + node.operation().getClass().getName() + "; give one by GradientRules.with");
        }
        for (int i = 0; i < wanted.length; i++) {
            if (wanted[i] && backward.given(i) != null) {
                contributions.computeIfAbsent(node.inputs().get(i), key -> new ArrayList<>())
                        .add(new Contribution(node, i, backward.given(i)));
            }
        }
    }

    private boolean isReached(Node node) {
        for (int i = 0; i < node.outputTypes().size(); i++) {
            if (node.output(i).equals(loss) || contributions.containsKey(node.output(i))) {
                return true;
            }
        }
        return false;
    }

    private Output gradientBy(Output output) {
        Output gradient = gradient(output);
        if (gradient == null) {
            throw new IllegalArgumentException("loss " + loss + " does not depend on " + output);
        }
        return gradient;
    }

    /** What all its readers contribute; null if none does. Summed once. */
    private Output gradient(Output output) {
        List<Contribution> parts = contributions.get(output);
        if (parts == null) {
            return null;
        }
        Contribution first = parts.getFirst();
        if (parts.size() == 1) {
            return first.gradient;
        }
        Output sum = graph.add(first.reader.name() + "/sum_" + first.input, first.reader.task(), rules.sum(),
                parts.stream().map(Contribution::gradient).toArray(Output[]::new)).output();
        contributions.put(output, List.of(new Contribution(first.reader, first.input, sum)));
        return sum;
    }
}
