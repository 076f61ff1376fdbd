package dev.verbena.training;

import java.util.List;

import dev.verbena.graph.KernelContext;
import dev.verbena.graph.PartialShape;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;

/**
 * The checks that the shape functions and kernels of this room share; every message names the operand and both sides.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure functions.
 */
final class Operands {
    private Operands() {}

    static void requireCount(List<TensorType> inputs, int count, String roles) {
        if (inputs.size() != count) {
            throw new IllegalArgumentException("takes " + count + " inputs (" + roles + "), not " + inputs.size());
        }
    }

    /** The operand's shape, of the element type and rank that it must have. */
    static PartialShape require(List<TensorType> inputs, int index, String role, ElementType elementType, int rank) {
        TensorType type = inputs.get(index);
        if (type.elementType() != elementType || type.shape().rank() != rank) {
            throw new IllegalArgumentException("input " + index + " (" + role + ") is " + type + "; expected "
                    + elementType + " of rank " + rank);
        }
        return type.shape();
    }

    /** What is known of a dimension that two operands must share. */
    static long sameDimension(String left, long leftDimension, String right, long rightDimension) {
        if (leftDimension == PartialShape.UNKNOWN) {
            return rightDimension;
        }
        if (rightDimension != PartialShape.UNKNOWN && leftDimension != rightDimension) {
            throw new IllegalArgumentException(
                    left + "=" + leftDimension + " does not fit " + right + "=" + rightDimension);
        }
        return leftDimension;
    }

    /** What is known of the shape of two operands of equal shape. */
    static PartialShape sameShape(String left, PartialShape leftShape, String right, PartialShape rightShape) {
        if (leftShape.rank() != rightShape.rank()) {
            throw new IllegalArgumentException(left + " " + leftShape + " does not fit " + right + " " + rightShape);
        }
        long[] dimensions = new long[leftShape.rank()];
        for (int i = 0; i < dimensions.length; i++) {
            dimensions[i] = sameDimension("dimension " + i + " of " + left, leftShape.dimension(i), "that of " + right,
                    rightShape.dimension(i));
        }
        return PartialShape.of(dimensions);
    }

    /** The run's check of what the shape function could not know. */
    static void checkSame(KernelContext context, String left, long leftCount, String right, long rightCount) {
        if (leftCount != rightCount) {
            throw new IllegalArgumentException(
                    "node '" + context.nodeName() + "': " + left + "=" + leftCount + " does not fit " + right + "="
                            + rightCount);
        }
    }
}
