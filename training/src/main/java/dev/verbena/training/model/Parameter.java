package dev.verbena.training.model;

import dev.verbena.graph.TensorType;

/**
 * A variable of a model: its name, and how it looks.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param fanIn how many numbers each number of the layer's output is a sum of
 */
public record Parameter(String name, TensorType type, long fanIn) {
    /** Biases have one dimension. */
    boolean isWeight() {
        return type.shape().rank() > 1;
    }
}
