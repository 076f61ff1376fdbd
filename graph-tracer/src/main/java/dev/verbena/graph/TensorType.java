package dev.verbena.graph;

import dev.verbena.memory.ElementType;

/**
 * What is known of an edge's tensors before the run.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record TensorType(ElementType elementType, PartialShape shape) {
    /** Of known shape, or with {@link PartialShape#UNKNOWN} dimensions. */
    public static TensorType of(ElementType elementType, long... dimensions) {
        return new TensorType(elementType, PartialShape.of(dimensions));
    }

    /** Whether its transfer can be placed statically. */
    public boolean isStatic() {
        return shape.isKnown();
    }

    @Override
    public String toString() {
        return elementType + shape.toString();
    }
}
