package dev.verbena.memory;

import java.util.Arrays;

/**
 * The dimensions of a tensor, outermost first; row-major, dense. Rank 0 is a scalar.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class Shape {
    /** Most dimensions a tensor may have (DESIGN: limits). */
    public static final int RANK_MAX = 16;

    private static final Shape SCALAR = new Shape(new long[0], 1);

    private final long[] dimensions;
    private final long elementCount;

    private Shape(long[] dimensions, long elementCount) {
        this.dimensions = dimensions;
        this.elementCount = elementCount;
    }

    /**
     * A shape of the given dimensions, each 0 or more.
     *
     * @throws IllegalArgumentException on a negative dimension, rank over {@link #RANK_MAX}, or more than 2^63 - 1 elements
     */
    public static Shape of(long... dimensions) {
        if (dimensions.length == 0) {
            return SCALAR;
        }
        if (dimensions.length > RANK_MAX) {
            throw new IllegalArgumentException("rank=" + dimensions.length + " exceeds rankMax=" + RANK_MAX);
        }
        long count = Arrays.stream(dimensions).anyMatch(dimension -> dimension == 0) ? 0 : 1;
        for (long dimension : dimensions) {
            if (dimension < 0) {
                throw new IllegalArgumentException("negative dimension in " + Arrays.toString(dimensions));
            }
            if (count != 0 && count > Long.MAX_VALUE / dimension) {
                throw new IllegalArgumentException("too many elements: " + Arrays.toString(dimensions));
            }
            count *= dimension;
        }
        return new Shape(dimensions.clone(), count);
    }

    /** How many dimensions there are: 0 for a scalar, at most {@link #RANK_MAX}. */
    public int rank() {
        return dimensions.length;
    }

    /** Elements along one dimension, of which the outermost is 0; throws {@link IndexOutOfBoundsException} if there is none. */
    public long dimension(int index) {
        return dimensions[index];
    }

    /** A copy, outermost first; empty for a scalar. */
    public long[] dimensions() {
        return dimensions.clone();
    }

    /** Product of the dimensions; 1 for a scalar. */
    public long elementCount() {
        return elementCount;
    }

    /**
     * Bytes of a tensor of this shape.
     *
     * @throws IllegalArgumentException if that exceeds 2^63 - 1
     */
    public long byteSize(ElementType type) {
        if (elementCount > type.elementCountMax()) {
            throw new IllegalArgumentException("too many bytes: " + this + " of " + type);
        }
        return type.byteSize(elementCount);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Shape shape && Arrays.equals(dimensions, shape.dimensions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dimensions);
    }

    @Override
    public String toString() {
        return Arrays.toString(dimensions);
    }
}
