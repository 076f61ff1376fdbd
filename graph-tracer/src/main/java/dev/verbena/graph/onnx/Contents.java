package dev.verbena.graph.onnx;

import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

import dev.verbena.graph.Dimension;

/**
 * Elements of a small tensor, as far as they are known before the run: integers as dimensions, of which each may be open, or floats. Shapes
 * are computed from them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Row-major; booleans are 0 and 1; at most {@link #COUNT_MAX} elements.
 */
public final class Contents {
    /** Larger tensors are data, not shapes. */
    public static final int COUNT_MAX = 1024;

    private final List<Optional<Dimension>> integers;
    private final double[] floats;

    private Contents(List<Optional<Dimension>> integers, double[] floats) {
        this.integers = integers;
        this.floats = floats;
        if (count() > COUNT_MAX) {
            throw new IllegalArgumentException("count=" + count() + " exceeds countMax=" + COUNT_MAX);
        }
    }

    /** All of them known, row-major; throws {@link IllegalArgumentException} if they are more than {@link #COUNT_MAX}. */
    public static Contents ofIntegers(long... integers) {
        return new Contents(Arrays.stream(integers).mapToObj(each -> Optional.of(Dimension.of(each))).toList(), null);
    }

    /** Where one is empty nothing is known of it. */
    public static Contents of(List<Optional<Dimension>> integers) {
        return new Contents(List.copyOf(integers), null);
    }

    /** A copy of the array, row-major; throws {@link IllegalArgumentException} if they are more than {@link #COUNT_MAX}. */
    public static Contents ofFloats(double... floats) {
        return new Contents(List.of(), floats.clone());
    }

    /** Whether {@link #floats()} has the elements, all of them known; else {@link #integers()} has them, each as far as it is known. */
    public boolean isFloats() {
        return floats != null;
    }

    /** Elements, known or not: 0 to {@link #COUNT_MAX}. */
    public int count() {
        return floats == null ? integers.size() : floats.length;
    }

    /** An integer, if anything is known of it. */
    public Optional<Dimension> integer(int index) {
        return floats == null ? integers.get(index) : Optional.empty();
    }

    /** All integers; none if these are floats. */
    public List<Optional<Dimension>> integers() {
        return integers;
    }

    /** All floats, if these are some. */
    public Optional<double[]> floats() {
        return Optional.ofNullable(floats).map(double[]::clone);
    }

    /** All integers, if each is a number. */
    public Optional<long[]> numbers() {
        return floats == null && integers.stream().allMatch(each -> each.isPresent() && each.get().isKnown())
                ? Optional.of(integers.stream().mapToLong(each -> each.get().value().getAsLong()).toArray())
                : Optional.empty();
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Contents contents && integers.equals(contents.integers)
                && Arrays.equals(floats, contents.floats);
    }

    @Override
    public int hashCode() {
        return 31 * integers.hashCode() + Arrays.hashCode(floats);
    }

    @Override
    public String toString() {
        return floats != null ? Arrays.toString(floats)
                : integers.stream().map(each -> each.map(Dimension::toString).orElse("?"))
                        .collect(Collectors.joining(", ", "{", "}"));
    }
}
