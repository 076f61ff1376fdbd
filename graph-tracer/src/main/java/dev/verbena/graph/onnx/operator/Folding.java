package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.function.DoubleBinaryOperator;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.memory.ElementType;

/**
 * Computes small tensors that shapes are computed from, element by element. What cannot be computed is not known; integers that a type has
 * no room for are not known either.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Folding {
    private Folding() {}

    /** Of one integer; empty if it cannot be told. */
    @FunctionalInterface
    interface Unary {
        Optional<Dimension> of(Dimension element);
    }

    /** Of two integers; empty if it cannot be told. */
    @FunctionalInterface
    interface Binary {
        Optional<Dimension> of(Dimension left, Dimension right);
    }

    /** What comes of the first input. Either function may be null. */
    static Optional<Contents> unary(ShapeContext node, Unary integers, DoubleUnaryOperator floats) {
        Contents contents = node.contents(0).orElse(null);
        if (contents == null || (contents.isFloats() ? floats == null : integers == null)) {
            return Optional.empty();
        }
        Optional<ElementType> type = node.type(0);
        if (contents.isFloats()) {
            return Optional.of(Contents.ofFloats(Arrays.stream(contents.floats().get())
                    .map(each -> rounded(floats.applyAsDouble(each), type)).toArray()));
        }
        return Optional.of(fitted(contents.integers().stream().map(each -> each.flatMap(integers::of)).toList(), type));
    }

    /** What comes of two inputs, broadcast to that shape. Either function may be null. */
    static Optional<Contents> binary(ShapeContext node, int left, int right, SymbolicShape shape, Binary integers,
            DoubleBinaryOperator floats, Optional<ElementType> type) {
        Contents one = node.contents(left).orElse(null);
        Contents other = node.contents(right).orElse(null);
        if (one == null || other == null || one.isFloats() != other.isFloats() || !isSmall(shape)
                || (one.isFloats() ? floats == null : integers == null)) {
            return Optional.empty();
        }
        int[] from = sources(node.shape(left), shape);
        int[] otherFrom = sources(node.shape(right), shape);
        if (one.isFloats()) {
            double[] results = new double[from.length];
            for (int i = 0; i < from.length; i++) {
                results[i] = rounded(floats.applyAsDouble(one.floats().get()[from[i]],
                        other.floats().get()[otherFrom[i]]), type);
            }
            return Optional.of(Contents.ofFloats(results));
        }
        List<Optional<Dimension>> results = new ArrayList<>();
        for (int i = 0; i < from.length; i++) {
            Optional<Dimension> second = other.integer(otherFrom[i]);
            results.add(one.integer(from[i]).flatMap(first -> second.flatMap(each -> integers.of(first, each))));
        }
        return Optional.of(fitted(results, type));
    }

    /** Whether a tensor is one whose elements are looked at. */
    static boolean isSmall(SymbolicShape shape) {
        return shape.isKnown() && shape.elementCount().value().getAsLong() <= Contents.COUNT_MAX;
    }

    /** For each element of what a tensor is broadcast to: the index of the one that it comes from. */
    static int[] sources(SymbolicShape from, SymbolicShape to) {
        int[] strides = strides(from);
        int added = to.rank() - from.rank();
        return strided(to, 0, IntStream.range(0, to.rank())
                .map(axis -> axis < added || size(from, axis - added) == 1 ? 0 : strides[axis - added]).toArray());
    }

    /** For each element of such a shape: the index of the one that lies so many steps of each dimension's stride behind the first. */
    static int[] strided(SymbolicShape shape, int first, int[] strides) {
        int[] sources = new int[(int) shape.elementCount().value().getAsLong()];
        for (int i = 0; i < sources.length; i++) {
            int rest = i;
            sources[i] = first;
            for (int axis = shape.rank() - 1; axis >= 0; axis--) {
                int size = (int) size(shape, axis);
                sources[i] += rest % size * strides[axis];
                rest /= size;
            }
        }
        return sources;
    }

    /** From one index of a dimension to the next, in elements of a known shape. */
    static int[] strides(SymbolicShape shape) {
        int[] strides = new int[shape.rank()];
        int stride = 1;
        for (int axis = shape.rank() - 1; axis >= 0; axis--) {
            strides[axis] = stride;
            stride *= (int) size(shape, axis);
        }
        return strides;
    }

    private static long size(SymbolicShape shape, int axis) {
        return shape.dimension(axis).value().getAsLong();
    }

    /** Some of the elements, by their indices. */
    static Contents picked(Contents contents, int[] indices) {
        if (contents.isFloats()) {
            double[] floats = contents.floats().get();
            return Contents.ofFloats(Arrays.stream(indices).mapToDouble(each -> floats[each]).toArray());
        }
        return Contents.of(Arrays.stream(indices).mapToObj(contents::integer).toList());
    }

    /** Converted to another type, as ONNX's Cast does it; what does not fit is not known. */
    static Optional<Contents> cast(Contents contents, Optional<ElementType> from, ElementType to) {
        boolean toFloats = to == ElementType.FLOAT32 || to == ElementType.FLOAT64;
        if (!toFloats && !isInteger(to)) {
            return Optional.empty();
        }
        if (contents.isFloats()) {
            double[] floats = contents.floats().get();
            return Optional.of(toFloats
                    ? Contents.ofFloats(Arrays.stream(floats).map(each -> rounded(each, Optional.of(to))).toArray())
                    : fitted(Arrays.stream(floats).mapToObj(each -> truncated(each, to)).toList(), Optional.of(to)));
        }
        if (!toFloats) {
            return Optional.of(fitted(
                    contents.integers().stream().map(each -> each.flatMap(known -> as(known, to))).toList(),
                    Optional.of(to)));
        }
        return from.filter(each -> each != ElementType.UINT64).flatMap(known -> contents.numbers())
                .map(numbers -> Contents.ofFloats(
                        Arrays.stream(numbers).mapToDouble(each -> rounded(each, Optional.of(to))).toArray()));
    }

    private static Optional<Dimension> as(Dimension element, ElementType type) {
        if (type != ElementType.BOOL) {
            return Optional.of(element);
        }
        return element.isKnown() ? Optional.of(Dimension.of(element.is(0) ? 0 : 1)) : Optional.empty();
    }

    private static Optional<Dimension> truncated(double number, ElementType to) {
        if (to == ElementType.BOOL) {
            return Optional.of(Dimension.of(number == 0 ? 0 : 1));
        }
        return Math.abs(number) < 0x1p62 ? Optional.of(Dimension.of((long) number)) : Optional.empty();
    }

    private static double rounded(double number, Optional<ElementType> type) {
        return type.filter(each -> each == ElementType.FLOAT32).isPresent() ? (float) number : number;
    }

    static boolean isInteger(ElementType type) {
        return switch (type) {
            case INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8, BOOL -> true;
            default -> false;
        };
    }

    /** Without those that are too large for their type, which wrap around. */
    static Contents fitted(List<Optional<Dimension>> integers, Optional<ElementType> type) {
        long max = type.map(Folding::max).orElse(Long.MAX_VALUE);
        long min = type.map(Folding::min).orElse(Long.MIN_VALUE);
        return Contents.of(integers.stream().map(each -> each.filter(
                known -> !known.isKnown() || known.value().getAsLong() <= max && known.value().getAsLong() >= min))
                .toList());
    }

    private static long max(ElementType type) {
        return switch (type) {
            case BOOL -> 1;
            case INT8, INT16, INT32, INT64 -> (1L << type.bitSize() - 1) - 1;
            case UINT8, UINT16, UINT32 -> (1L << type.bitSize()) - 1;
            default -> Long.MAX_VALUE;
        };
    }

    private static long min(ElementType type) {
        return switch (type) {
            case INT8, INT16, INT32, INT64 -> -1L << type.bitSize() - 1;
            default -> 0;
        };
    }

    /** Whether that is so; empty if it cannot be told. */
    static Optional<Dimension> truth(Optional<Boolean> isSo) {
        return isSo.map(each -> Dimension.of(each ? 1 : 0));
    }
}
