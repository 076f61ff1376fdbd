package dev.verbena.graph.onnx.operator;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;

/**
 * Slice: of some dimensions, elements from a start to an end in steps; negative numbers count from behind, and what lies outside is
 * clamped.
 *
 * @param starts empty if nothing is known of them; as ends
 * @param axes the first dimensions if it is empty
 * @param steps 1 if it is empty
 */
record Slicing(ShapeContext node, Optional<Contents> starts, Optional<Contents> ends, Optional<long[]> axes,
        Optional<Contents> steps) {
    void infer() {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        int count = axes.map(each -> each.length).or(() -> starts.map(Contents::count))
                .or(() -> ends.map(Contents::count)).orElseThrow(() -> node.undetermined(node.whyNoContents(1)));
        if (wrongCount(starts, count) || wrongCount(ends, count) || wrongCount(steps, count)) {
            throw node.conflict("starts " + text(starts) + ", ends " + text(ends) + " and steps " + text(steps)
                    + " are not of " + count + " dimensions");
        }
        SymbolicShape cut = input;
        Set<Integer> seen = new LinkedHashSet<>();
        for (int i = 0; i < count; i++) {
            int axis = node.axis(axes.isPresent() ? axes.get()[i] : i, input.rank());
            if (!seen.add(axis)) {
                throw node.conflict("axis=" + axis + " twice");
            }
            cut = cut.with(axis, length(input.dimension(axis), i, axis));
        }
        node.output(0, cut, taken(input, cut, List.copyOf(seen)));
    }

    private static boolean wrongCount(Optional<Contents> numbers, int count) {
        return numbers.filter(each -> each.count() != count || each.isFloats()).isPresent();
    }

    private static String text(Optional<Contents> numbers) {
        return numbers.map(Contents::toString).orElse("?");
    }

    private Optional<Dimension> start(int index) {
        return starts.flatMap(each -> each.integer(index));
    }

    private Optional<Dimension> end(int index) {
        return ends.flatMap(each -> each.integer(index));
    }

    private Optional<Long> step(int index) {
        return steps.isEmpty() ? Optional.of(1L)
                : steps.get().integer(index).filter(Dimension::isKnown).map(each -> each.value().getAsLong());
    }

    private Dimension length(Dimension size, int index, int axis) {
        Optional<Long> step = step(index);
        if (start(index).isEmpty() || end(index).isEmpty() || step.isEmpty()) {
            return node.unknown(0, axis, node.whyNoContents(start(index).isEmpty() ? 1 : end(index).isEmpty() ? 2 : 4));
        }
        if (step.get() == 0) {
            throw node.conflict("steps of 0");
        }
        Dimension start = start(index).get();
        Dimension end = end(index).get();
        if (isEitherSide(start) || isEitherSide(end)) {
            return node.unknown(0, axis, "whether " + node.label() + " counts from behind is known only at run time");
        }
        Dimension extent = step.get() > 0 ? forward(size, bounded(start, size), bounded(end, size))
                : backward(size, bounded(start, size), bounded(end, size));
        return extent.dividedUpBy(Dimension.of(Math.absExact(step.get()))).max(Dimension.of(0));
    }

    /** Whether it cannot be told from which end it is counted. */
    private static boolean isEitherSide(Dimension position) {
        return !position.isNeverNegative() && !position.isNegative();
    }

    /** Negative if it is nothing. What is clamped where that changes nothing makes expressions longer. */
    private static Dimension forward(Dimension size, Dimension start, Dimension end) {
        Dimension to = end.isNegative() ? end.plus(size) : isFar(end) ? size : end.min(size);
        return start.isNegative() ? to.minus(start).minus(size).min(to) : to.minus(start);
    }

    private static Dimension backward(Dimension size, Dimension start, Dimension end) {
        // Clamped to the first element, where a slice in Python is empty. The last one is there, unless there is none.
        Dimension from = start.is(-1) ? size.plus(-1)
                : start.isNegative() ? start.plus(size).max(Dimension.of(0))
                        : isFar(start) ? size.plus(-1) : start.min(size.plus(-1));
        return !end.isNegative() ? from.minus(end)
                : isFar(end) ? from.plus(1) : from.minus(end).minus(size).min(from.plus(1));
    }

    /** Exporters write the largest numbers there are for "to the end": of a size that is not known, the largest of 32 bits is that. */
    private static boolean isFar(Dimension position) {
        return position.isKnown() && (position.value().getAsLong() >= Integer.MAX_VALUE
                || position.value().getAsLong() <= -Integer.MAX_VALUE);
    }

    /** No farther outside than it must be to lie outside: sums with the largest numbers overflow. */
    private static Dimension bounded(Dimension position, Dimension size) {
        if (!position.isKnown()) {
            return position;
        }
        long limit = size.value().orElse(Integer.MAX_VALUE);
        return Dimension.of(Math.clamp(position.value().getAsLong(), -limit - 1, limit));
    }

    /** @param cutAxes by the index of their start, end and step */
    private Optional<Contents> taken(SymbolicShape input, SymbolicShape cut, List<Integer> cutAxes) {
        boolean isKnown = input.isKnown() && cut.isKnown() && IntStream.range(0, cutAxes.size())
                .allMatch(i -> start(i).filter(Dimension::isKnown).isPresent());
        if (!isKnown || node.contents(0).isEmpty()) {
            return Optional.empty();
        }
        int first = 0;
        int[] strides = Folding.strides(input);
        for (int i = 0; i < cutAxes.size(); i++) {
            int axis = cutAxes.get(i);
            first += first(i, input.dimension(axis).value().getAsLong()) * strides[axis];
            // Of one element there is no next, however long the step.
            strides[axis] *= cut.dimension(axis).is(1) ? 0 : (int) (long) step(i).orElseThrow();
        }
        return Optional.of(Folding.picked(node.contents(0).get(), Folding.strided(cut, first, strides)));
    }

    private int first(int index, long size) {
        long start = start(index).orElseThrow().value().getAsLong();
        return (int) Math.clamp(start < 0 ? Math.max(start, -size) + size : start, 0, Math.max(0, size - 1));
    }
}
