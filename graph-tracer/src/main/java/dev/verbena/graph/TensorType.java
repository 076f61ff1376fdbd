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
public record TensorType(ElementType elementType, SymbolicShape shape) {
    /** Of known shape. */
    public static TensorType of(ElementType elementType, long... dimensions) {
        return new TensorType(elementType, SymbolicShape.of(dimensions));
    }

    /** Whether its transfer can be placed statically. */
    public boolean isStatic() {
        return shape.isKnown();
    }

    /** Whether a tensor of these may stand where this was promised. */
    public boolean accepts(ElementType otherType, Shape otherShape) {
        return otherType == elementType && shape.accepts(otherShape);
    }

    /** Whether tensors of both types may have equally many elements of one type. */
    public boolean mayShareStorageWith(TensorType other) {
        return elementType == other.elementType && !shape.elementCount().differsFrom(other.shape.elementCount());
    }

    @Override
    public String toString() {
        return elementType + shape.toString();
    }
}
