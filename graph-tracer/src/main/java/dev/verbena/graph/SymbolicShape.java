package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

import dev.verbena.memory.Shape;

/**
 * A shape whose rank is known and each of whose dimensions is known, symbolic or unknown.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Dimensions that are numbers are 0 or more; at most {@link Shape#RANK_MAX} of them.
 *
 * @param dimensions outermost first
 */
public record SymbolicShape(List<Dimension> dimensions) {
    /** Of a tensor of one element without dimensions. */
    public static final SymbolicShape SCALAR = new SymbolicShape(List.of());

    /** Copies the list; throws {@link IllegalArgumentException} if there are over 16 dimensions, or one that is surely negative. */
    public SymbolicShape {
        dimensions = List.copyOf(dimensions);
        if (dimensions.size() > Shape.RANK_MAX) {
            throw new IllegalArgumentException(
                    "rank=" + dimensions.size() + " exceeds rankMax=" + Shape.RANK_MAX);
        }
        for (Dimension dimension : dimensions) {
            if (dimension.isNegative()) {
                throw new IllegalArgumentException("negative dimension in " + text(dimensions));
            }
        }
    }

    /** Outermost first, each a number, symbolic or unknown. */
    public static SymbolicShape of(Dimension... dimensions) {
        return new SymbolicShape(Arrays.asList(dimensions));
    }

    /** Outermost first, every dimension known and 0 or more. */
    public static SymbolicShape of(long... dimensions) {
        return new SymbolicShape(Arrays.stream(dimensions).mapToObj(Dimension::of).toList());
    }

    /** With every dimension known. */
    public static SymbolicShape of(Shape shape) {
        return of(shape.dimensions());
    }

    /** How many dimensions there are: 0 for a scalar, at most 16. */
    public int rank() {
        return dimensions.size();
    }

    /** Of the axis counted from 0, the outermost; throws {@link IndexOutOfBoundsException} if there is none. None is counted from behind. */
    public Dimension dimension(int axis) {
        return dimensions.get(axis);
    }

    /** Whether every dimension is a number. */
    public boolean isKnown() {
        return dimensions.stream().allMatch(Dimension::isKnown);
    }

    /** The same with another dimension in one place. */
    public SymbolicShape with(int axis, Dimension dimension) {
        List<Dimension> changed = new ArrayList<>(dimensions);
        changed.set(axis, dimension);
        return new SymbolicShape(changed);
    }

    /**
     * How many elements there are.
     *
     * @throws ArithmeticException if their number has more than 63 bits
     */
    public Dimension elementCount() {
        return dimensions.stream().reduce(Dimension.of(1), Dimension::times);
    }

    /** With numbers for some of its symbols. */
    public SymbolicShape bind(Map<String, Long> numbers) {
        return new SymbolicShape(dimensions.stream().map(dimension -> dimension.bind(numbers)).toList());
    }

    /** @throws IllegalStateException if a dimension is not a number */
    public Shape toShape() {
        return Shape.of(dimensions.stream().mapToLong(dimension -> dimension.value().orElseThrow(
                () -> new IllegalStateException("shape is not known before the run: " + this))).toArray());
    }

    /** Whether a tensor of that shape may stand where this was promised: what is one symbol is one number. */
    public boolean accepts(Shape shape) {
        return accepts(shape, new HashMap<>());
    }

    /**
     * As {@link #accepts(Shape)}, of a tensor among others.
     *
     * @param numbers what symbols stand for; those that this tensor is the first to tell are added
     */
    public boolean accepts(Shape shape, Map<String, Long> numbers) {
        if (shape.rank() != rank()) {
            return false;
        }
        for (int i = 0; i < rank(); i++) {
            for (String symbol : dimension(i).symbols()) {
                if (dimension(i).isSymbol(symbol)) {
                    numbers.putIfAbsent(symbol, shape.dimension(i));
                }
            }
        }
        for (int i = 0; i < rank(); i++) {
            if (Dimension.of(shape.dimension(i)).differsFrom(dimension(i).bind(numbers))) {
                return false;
            }
        }
        return true;
    }

    private static String text(List<Dimension> dimensions) {
        return dimensions.stream().map(Dimension::toString).collect(Collectors.joining(", ", "[", "]"));
    }

    @Override
    public String toString() {
        return text(dimensions);
    }
}
