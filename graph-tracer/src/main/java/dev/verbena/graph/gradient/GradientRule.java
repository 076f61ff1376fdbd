package dev.verbena.graph.gradient;

import dev.verbena.graph.Operation;

/**
 * How a gradient goes backwards through one kind of operation.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure, but for the nodes appended.
 *
 * @param <O> the operation
 */
@FunctionalInterface
public interface GradientRule<O extends Operation> {
    /**
     * Appends the nodes that compute the gradients of a node's inputs, and gives each to {@link Backward#give}. An input that gets none
     * is one on which the loss does not depend through this node.
     */
    void append(O operation, Backward node);
}
