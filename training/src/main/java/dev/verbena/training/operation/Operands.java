package dev.verbena.training.operation;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.TensorType;
import dev.verbena.graph.run.KernelContext;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * The checks that the shape functions and kernels of this room share; every message names the operand and both sides.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure functions.
 */
public final class Operands {
    private Operands() {}

    public static void requireCount(List<TensorType> inputs, int count, String roles) {
        if (inputs.size() != count) {
            throw new IllegalArgumentException("takes " + count + " inputs (" + roles + "), not " + inputs.size());
        }
    }

    /** The operand's shape, of the element type and rank that it must have. */
    public static SymbolicShape require(List<TensorType> inputs, int index, String role, ElementType elementType,
            int rank) {
        TensorType type = inputs.get(index);
        if (type.elementType() != elementType || type.shape().rank() != rank) {
            throw new IllegalArgumentException("input " + index + " (" + role + ") is " + type + "; expected "
                    + elementType + " of rank " + rank);
        }
        return type.shape();
    }

    /** What is known of a dimension that two operands must share. */
    public static Dimension sameDimension(String left, Dimension leftDimension, String right,
            Dimension rightDimension) {
        if (leftDimension.differsFrom(rightDimension)) {
            throw new IllegalArgumentException(
                    left + "=" + leftDimension + " does not fit " + right + "=" + rightDimension);
        }
        return leftDimension.isKnown() ? leftDimension : rightDimension;
    }

    /** What is known of the shape of two operands of equal shape. */
    public static SymbolicShape sameShape(String left, SymbolicShape leftShape, String right,
            SymbolicShape rightShape) {
        if (leftShape.rank() != rightShape.rank()) {
            throw new IllegalArgumentException(left + " " + leftShape + " does not fit " + right + " " + rightShape);
        }
        SymbolicShape shape = leftShape;
        for (int i = 0; i < shape.rank(); i++) {
            shape = shape.with(i, sameDimension("dimension " + i + " of " + left, leftShape.dimension(i),
                    "that of " + right, rightShape.dimension(i)));
        }
        return shape;
    }

    /** The run's check of an index before it becomes an address. */
    static int checkIndex(KernelContext context, String name, int index, String place, long at, long count,
            String counted) {
        if (index < 0 || index >= count) {
            throw new IllegalArgumentException("node '" + context.nodeName() + "': " + name + "=" + index + " in "
                    + place + "=" + at + "; there are " + count + " " + counted + ", from 0");
        }
        return index;
    }

    /** The run's check of what the shape function could not know. */
    public static void checkSame(KernelContext context, String left, long leftCount, String right, long rightCount) {
        if (leftCount != rightCount) {
            throw new IllegalArgumentException(
                    "node '" + context.nodeName() + "': " + left + "=" + leftCount + " does not fit " + right + "="
                            + rightCount);
        }
    }

    /** The run's check of two shapes of one rank, of which the shape function did not know all. */
    public static void checkSameShape(KernelContext context, String left, Shape leftShape, String right,
            Shape rightShape) {
        for (int i = 0; i < leftShape.rank(); i++) {
            checkSame(context, "dimension " + i + " of " + left, leftShape.dimension(i), "that of " + right,
                    rightShape.dimension(i));
        }
    }
}
