package dev.verbena.graph;

import java.util.Arrays;

import dev.verbena.memory.Shape;

/**
 * A shape whose rank is known and whose dimensions may not be until run time (EuroSys'19 §3.3: the number of dimensions stays
 * the same).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class PartialShape {
    /** A dimension known only at run time. */
    public static final long UNKNOWN = -1;

    private final long[] dimensions;

    private PartialShape(long[] dimensions) {
        this.dimensions = dimensions;
    }

    /** Dimensions of 0 or more, or {@link #UNKNOWN}. */
    public static PartialShape of(long... dimensions) {
        if (dimensions.length > Shape.RANK_MAX) {
            throw new IllegalArgumentException("rank=" + dimensions.length + " exceeds rankMax=" + Shape.RANK_MAX);
        }
        for (long dimension : dimensions) {
            if (dimension < UNKNOWN) {
                throw new IllegalArgumentException("negative dimension in " + Arrays.toString(dimensions));
            }
        }
        return new PartialShape(dimensions.clone());
    }

    /** With every dimension known. */
    public static PartialShape of(Shape shape) {
        return new PartialShape(shape.dimensions());
    }

    public int rank() {
        return dimensions.length;
    }

    public long dimension(int index) {
        return dimensions[index];
    }

    /** Whether every dimension is known. */
    public boolean isKnown() {
        return unknownCount() == 0;
    }

    /** How many dimensions are unknown. */
    int unknownCount() {
        int count = 0;
        for (long dimension : dimensions) {
            if (dimension == UNKNOWN) {
                count++;
            }
        }
        return count;
    }

    /** A copy, {@link #UNKNOWN} included. */
    long[] dimensions() {
        return dimensions.clone();
    }

    /** @throws IllegalStateException if a dimension is unknown */
    public Shape toShape() {
        if (!isKnown()) {
            throw new IllegalStateException("shape is not known before the run: " + this);
        }
        return Shape.of(dimensions);
    }

    /** Whether a tensor of that shape may stand where this was promised. */
    public boolean accepts(Shape shape) {
        if (shape.rank() != rank()) {
            return false;
        }
        for (int i = 0; i < dimensions.length; i++) {
            if (dimensions[i] != UNKNOWN && dimensions[i] != shape.dimension(i)) {
                return false;
            }
        }
        return true;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof PartialShape shape && Arrays.equals(dimensions, shape.dimensions);
    }

    @Override
    public int hashCode() {
        return Arrays.hashCode(dimensions);
    }

    @Override
    public String toString() {
        return Arrays.toString(dimensions).replace("-1", "?");
    }
}
