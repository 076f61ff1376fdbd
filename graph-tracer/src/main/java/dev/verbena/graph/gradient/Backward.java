package dev.verbena.graph.gradient;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;

/**
 * A node as a {@link GradientRule} sees it: its inputs and outputs, the gradients of its outputs, and where to put those of its inputs.
 *
 * <p><b>Owner:</b> {@link Gradients}, for the time of one call. <b>Threading:</b> confined to it.
 */
public final class Backward {
    private final Graph graph;
    private final Node node;
    private final Output loss;
    private final Output[] gradients;
    private final boolean[] wanted;
    private final Output[] given;

    /**
     * @param gradients by the loss, of each output; null where it does not depend on one
     * @param wanted whether the loss is to be derived by what an input comes from
     */
    Backward(Graph graph, Node node, Output loss, Output[] gradients, boolean[] wanted) {
        this.graph = graph;
        this.node = node;
        this.loss = loss;
        this.gradients = gradients;
        this.wanted = wanted;
        this.given = new Output[wanted.length];
    }

    /** The node that the gradient goes backwards through; {@link #add} puts nodes on its task. */
    public Node node() {
        return node;
    }

    /** What feeds that input of the node, counted from 0; throws {@link IndexOutOfBoundsException} if it has no such input. */
    public Output input(int index) {
        return node.inputs().get(index);
    }

    /** That output of the node, counted from 0, for gradients that need its value; throws {@link IllegalArgumentException} if it has none. */
    public Output output(int index) {
        return node.output(index);
    }

    /** Whether an output is the loss itself. Its gradient is one, and has no node: a loss comes with its own derivative. */
    public boolean isLoss(int output) {
        return node.output(output).equals(loss);
    }

    /** Whether the loss depends on an output. */
    public boolean hasGradient(int output) {
        return gradients[output] != null;
    }

    /** The gradient of the loss by an output; throws {@link IllegalArgumentException} if it does not depend on it, or is it. */
    public Output gradient(int output) {
        if (!hasGradient(output)) {
            throw new IllegalArgumentException("node '" + node + "' (" + node.operation().name() + "): "
                    + (isLoss(output)
                            ? "it is the loss, of which its rule knows no derivative; give a loss whose rule does"
                            : "the loss does not depend on its output " + output));
        }
        return gradients[output];
    }

    /** Whether anybody asks for the gradient of an input; of one that nobody asks for need not be computed. */
    public boolean isWanted(int input) {
        return wanted[input];
    }

    /**
     * Appends a node where this one runs, with this one's control inputs: a variable that both read is the same to both.
     *
     * @param name behind this one's, such as {@code weight_gradient}
     */
    public Output add(String name, Operation operation, Output... inputs) {
        return graph.add(node.name() + "/" + name, node.task(), operation, List.of(inputs), node.controlInputs())
                .output();
    }

    /**
     * What an input's gradient is. One that is not wanted is let be.
     *
     * @throws IllegalArgumentException if it is not of the input's type, or given twice
     */
    public void give(int input, Output gradient) {
        TensorType type = input(input).type();
        if (type.elementType() != gradient.type().elementType() || differ(type, gradient.type())) {
            throw new IllegalArgumentException("node '" + node + "' (" + node.operation().name() + "): the gradient "
                    + gradient + " of input " + input + " is " + gradient.type() + " and the input " + type);
        }
        if (given[input] != null) {
            throw new IllegalArgumentException("node '" + node + "' (" + node.operation().name()
                    + "): the gradient of input " + input + " is given twice, as " + given[input] + " and as "
                    + gradient);
        }
        given[input] = gradient;
    }

    private static boolean differ(TensorType left, TensorType right) {
        List<Dimension> dimensions = left.shape().dimensions();
        if (dimensions.size() != right.shape().rank()) {
            return true;
        }
        for (int i = 0; i < dimensions.size(); i++) {
            if (dimensions.get(i).differsFrom(right.shape().dimension(i))) {
                return true;
            }
        }
        return false;
    }

    /** Of an input; null if there is none. */
    Output given(int input) {
        return given[input];
    }
}
