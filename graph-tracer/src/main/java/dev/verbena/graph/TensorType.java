package dev.verbena.graph;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * What is known of an edge's tensors before the run.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param elementType always known
 * @param shape of known rank
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

    /** Whether a tensor of these may stand where this was promised. */
    boolean accepts(ElementType otherType, Shape otherShape) {
        return otherType == elementType && shape.accepts(otherShape);
    }

    /** Whether tensors of both types may have equally many elements of one type. */
    boolean mayShareStorageWith(TensorType other) {
        return elementType == other.elementType && (!isStatic() || !other.isStatic()
                || shape.toShape().elementCount() == other.shape.toShape().elementCount());
    }

    @Override
    public String toString() {
        return elementType + shape.toString();
    }
}
