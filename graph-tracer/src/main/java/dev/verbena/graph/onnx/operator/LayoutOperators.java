package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.Shape;

/**
 * What puts elements elsewhere and computes nothing.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class LayoutOperators {
    private static final Dimension ONE = Dimension.of(1);

    private LayoutOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions
                .with("", "Reshape", 1, node -> reshape(node, Contents.ofIntegers(node.integers("shape").orElseThrow(
                        () -> node.conflict("attribute 'shape' is missing")))))
                .with("", "Reshape", 5, LayoutOperators::reshape).with("", "Flatten", 1, LayoutOperators::flatten)
                .with("", "Transpose", 1, LayoutOperators::transpose)
                .with("", "Squeeze", 1, node -> squeeze(node, node.integers("axes")))
                .with("", "Squeeze", 13, node -> squeeze(node, axes(node)))
                .with("", "Unsqueeze", 1, node -> unsqueeze(node, node.integers("axes")))
                .with("", "Unsqueeze", 13, node -> unsqueeze(node, axes(node)))
                .with("", "Concat", 1, node -> concat(node, node.integer("axis", 1)))
                .with("", "Concat", 4, node -> concat(node, requiredAxis(node)))
                .with("", "Split", 1, node -> split(node, node.integers("split").map(Contents::ofIntegers)))
                .with("", "Split", 13, node -> split(node, node.has(1) ? Optional.of(node.shapeContents(1))
                        : Optional.empty()))
                .with("", "Expand", 8, LayoutOperators::expand).with("", "Tile", 6, LayoutOperators::tile)
                .with("", "Pad", 1, node -> pad(node, node.integers(node.hasAttribute("pads") ? "pads" : "paddings")
                        .map(Contents::ofIntegers).orElseThrow(() -> node.conflict("attribute 'pads' is missing"))))
                .with("", "Pad", 11, node -> pad(node, node.shapeContents(1)))
                .with("", "DepthToSpace", 1, LayoutOperators::depthToSpace)
                .with("", "SpaceToDepth", 1, LayoutOperators::spaceToDepth);
    }

    /** Axes by the second input, since version 13; none are said if it is left out. */
    private static Optional<long[]> axes(ShapeContext node) {
        if (!node.has(1)) {
            return Optional.empty();
        }
        node.outputType(0, node.type(0));
        return Optional.of(node.numbers(1));
    }

    private static long requiredAxis(ShapeContext node) {
        if (!node.hasAttribute("axis")) {
            throw node.conflict("attribute 'axis' is missing");
        }
        return node.integer("axis", 0);
    }

    private static void reshape(ShapeContext node) {
        node.outputType(0, node.type(0));
        Optional<Contents> wanted = node.contents(1);
        if (wanted.isEmpty() && node.isRanked(1)) {
            Dimension rank = node.shape(1, 1).dimension(0);
            if (rank.isKnown() && rank.value().getAsLong() <= Shape.RANK_MAX) {
                // At least the rank is known.
                reshape(node, Contents.of(Collections.nCopies((int) rank.value().getAsLong(), Optional.empty())));
                return;
            }
        }
        reshape(node, node.shapeContents(1));
    }

    /** 0 stands for the dimension of the input, unless 0 is allowed; -1 for what is left, once. */
    private static void reshape(ShapeContext node, Contents wanted) {
        node.outputType(0, node.type(0));
        boolean isZeroAllowed = node.integer("allowzero", 0) != 0;
        SymbolicShape input = node.facts(0).shape().orElse(null);
        Dimension[] dimensions = new Dimension[wanted.count()];
        List<Integer> open = new ArrayList<>();
        int left = -1;
        for (int i = 0; i < dimensions.length; i++) {
            Optional<Dimension> size = wanted.integer(i);
            if (size.isEmpty()) {
                open.add(i);
            } else if (size.get().is(-1)) {
                if (left >= 0) {
                    throw node.conflict("-1 stands twice in the shape " + wanted);
                }
                left = i;
            } else if (size.get().is(0) && !isZeroAllowed) {
                if (input != null && i >= input.rank()) {
                    throw node.conflict("0 in the shape " + wanted + " stands for a dimension that " + input
                            + " has not");
                }
                dimensions[i] = input == null ? null : input.dimension(i);
                if (input == null) {
                    open.add(i);
                }
            } else {
                dimensions[i] = size.get();
            }
        }
        Optional<Dimension> total = node.facts(0).shape().map(SymbolicShape::elementCount);
        for (int i : open) {
            dimensions[i] = node.unknown(0, i, node.isRanked(0) ? node.whyNoContents(1)
                    : node.facts(0).reason().orElseThrow());
        }
        if (left >= 0) {
            dimensions[left] = open.isEmpty() ? rest(node, total.orElse(null), dimensions, left)
                    : node.unknown(0, left, node.facts(0).reason().orElseGet(() -> node.whyNoContents(1)));
        } else if (open.isEmpty() && total.isPresent()) {
            Dimension product = Arrays.stream(dimensions).reduce(ONE, Dimension::times);
            if (product.differsFrom(total.get())) {
                throw node.conflict(input + " has " + total.get() + " elements, and " + Arrays.toString(dimensions)
                        + " has " + product);
            }
        } else if (open.size() == 1 && total.isPresent()) {
            // One that is not known is what is left.
            dimensions[open.getFirst()] = exactRest(total.get(), dimensions, open.getFirst())
                    .orElse(dimensions[open.getFirst()]);
        }
        List<Dimension> all = List.of(dimensions);
        node.output(0, all);
        node.output(0, new SymbolicShape(all), node.contents(0));
    }

    private static Optional<Dimension> exactRest(Dimension total, Dimension[] dimensions, int left) {
        Dimension others = ONE;
        for (int i = 0; i < dimensions.length; i++) {
            others = i == left ? others : others.times(dimensions[i]);
        }
        return others.is(0) ? Optional.empty() : total.dividedExactlyBy(others);
    }

    private static Dimension rest(ShapeContext node, Dimension total, Dimension[] dimensions, int left) {
        if (total == null) {
            return node.unknown(0, left, node.facts(0).reason().orElseThrow());
        }
        Dimension others = ONE;
        for (int i = 0; i < dimensions.length; i++) {
            others = i == left ? others : others.times(dimensions[i]);
        }
        if (others.is(0)) {
            throw node.conflict("-1 in a shape with 0 elements stands for nothing");
        }
        if (total.isKnown() && others.isKnown() && total.value().getAsLong() % others.value().getAsLong() != 0) {
            throw node.conflict(total + " elements are no multiple of " + others);
        }
        return total.dividedBy(others);
    }

    private static void flatten(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        long axis = node.integer("axis", 1);
        int at = axis == input.rank() ? input.rank() : node.axis(axis, Math.max(1, input.rank()));
        node.output(0, List.of(product(input, 0, at), product(input, at, input.rank())));
    }

    private static Dimension product(SymbolicShape shape, int from, int to) {
        return new SymbolicShape(shape.dimensions().subList(from, to)).elementCount();
    }

    private static void transpose(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        int rank = input.rank();
        long[] order = node.integers("perm")
                .orElseGet(() -> IntStream.range(0, rank).mapToLong(i -> rank - 1 - i).toArray());
        if (!Arrays.stream(order).sorted().boxed().toList()
                .equals(IntStream.range(0, rank).mapToObj(Long::valueOf).toList())) {
            throw node.conflict("perm=" + Arrays.toString(order) + " is no order of the dimensions of " + input);
        }
        SymbolicShape output = new SymbolicShape(Arrays.stream(order).mapToObj(each -> input.dimension((int) each))
                .toList());
        node.output(0, output, node.contents(0).filter(_ -> input.isKnown()).map(contents -> {
            int[] strides = Folding.strides(input);
            return Folding.picked(contents, Folding.strided(output, 0,
                    Arrays.stream(order).mapToInt(each -> strides[(int) each]).toArray()));
        }));
    }

    private static void squeeze(ShapeContext node, Optional<long[]> axes) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        Set<Integer> gone = new TreeSet<>();
        if (axes.isPresent()) {
            for (long axis : axes.get()) {
                int at = node.axis(axis, input.rank());
                if (input.dimension(at).differsFrom(ONE)) {
                    throw node.conflict("dimension " + at + " of " + input + " is not 1");
                }
                gone.add(at);
            }
        } else {
            for (int i = 0; i < input.rank(); i++) {
                if (!input.dimension(i).isKnown()) {
                    throw node.undetermined(node.label() + " leaves out dimensions that are 1, and whether one of "
                            + input + " is, only a run can tell");
                }
                if (input.dimension(i).is(1)) {
                    gone.add(i);
                }
            }
        }
        node.output(0, new SymbolicShape(IntStream.range(0, input.rank()).filter(i -> !gone.contains(i))
                .mapToObj(input::dimension).toList()), node.contents(0));
    }

    private static void unsqueeze(ShapeContext node, Optional<long[]> axes) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        long[] wanted = axes.orElseThrow(() -> node.conflict("axes are missing"));
        int rank = input.rank() + wanted.length;
        Set<Integer> added = new TreeSet<>();
        for (long axis : wanted) {
            if (!added.add(node.axis(axis, rank))) {
                throw node.conflict("axis=" + axis + " twice");
            }
        }
        List<Dimension> dimensions = new ArrayList<>(input.dimensions());
        added.forEach(axis -> dimensions.add(axis, ONE));
        node.output(0, dimensions);
        node.output(0, new SymbolicShape(dimensions), node.contents(0));
    }

    private static void concat(ShapeContext node, long axis) {
        node.outputType(0, node.type(0));
        SymbolicShape joined = node.shape(0);
        int at = node.axis(axis, joined.rank());
        List<Optional<Dimension>> elements = new ArrayList<>();
        boolean hasElements = joined.rank() == 1;
        for (int i = 0; i < node.inputCount(); i++) {
            SymbolicShape next = node.shape(i, joined.rank());
            if (i > 0) {
                for (int j = 0; j < joined.rank(); j++) {
                    joined = joined.with(j, j == at ? joined.dimension(j).plus(next.dimension(j))
                            : node.same(joined.dimension(j), next.dimension(j), "dimensions " + j + " of inputs"));
                }
            }
            hasElements &= next.isKnown() && next.dimension(0).value().getAsLong() <= Contents.COUNT_MAX
                    - elements.size() && node.contents(i).filter(Contents::isFloats).isEmpty();
            if (hasElements) {
                elements.addAll(node.contents(i).map(Contents::integers).orElse(
                        Collections.nCopies((int) next.dimension(0).value().getAsLong(), Optional.empty())));
            }
        }
        boolean isKnown = hasElements && elements.stream().anyMatch(Optional::isPresent);
        node.output(0, joined, isKnown ? Optional.of(Contents.of(elements)) : Optional.empty());
    }

    private static void split(ShapeContext node, Optional<Contents> sizes) {
        for (int i = 0; i < node.outputCount(); i++) {
            node.outputType(i, node.type(0));
        }
        SymbolicShape input = node.shape(0);
        int at = node.axis(node.integer("axis", 0), input.rank());
        Dimension whole = input.dimension(at);
        int count = node.outputCount();
        if (sizes.isPresent()) {
            splitBySizes(node, input, at, sizes.get());
            return;
        }
        if (node.version() >= 18 && node.hasAttribute("num_outputs") && node.integer("num_outputs", 0) != count) {
            throw node.conflict("num_outputs=" + node.integer("num_outputs", 0) + " of " + count + " outputs");
        }
        // Equal parts, and since version 18 the last one may be smaller.
        Dimension part = whole.dividedUpBy(Dimension.of(count));
        Dimension last = whole.minus(part.times(Dimension.of(count - 1)));
        if (node.version() < 18 && last.differsFrom(part) || last.isNegative()) {
            throw node.conflict(whole + " cannot be split into " + count + " parts");
        }
        long offset = 0;
        for (int i = 0; i < count; i++) {
            boolean isLast = i == count - 1 && node.version() >= 18;
            node.output(i, input.with(at, isLast ? last : part), slice(node, input, offset, isLast ? last : part));
            offset += part.value().orElse(0);
        }
    }

    private static void splitBySizes(ShapeContext node, SymbolicShape input, int at, Contents sizes) {
        if (sizes.count() != node.outputCount()) {
            throw node.conflict(sizes.count() + " sizes of " + node.outputCount() + " parts");
        }
        Dimension sum = Dimension.of(0);
        boolean isComplete = true;
        for (int i = 0; i < sizes.count(); i++) {
            sum = sum.plus(sizes.integer(i).orElse(Dimension.of(0)));
            isComplete &= sizes.integer(i).isPresent();
            if (sizes.integer(i).filter(Dimension::isNegative).isPresent()) {
                throw node.conflict("a negative size in " + sizes);
            }
        }
        if (isComplete && sum.differsFrom(input.dimension(at))) {
            throw node.conflict("sizes " + sizes + " are " + sum + " together, and the dimension is "
                    + input.dimension(at));
        }
        long offset = 0;
        for (int i = 0; i < sizes.count(); i++) {
            Dimension size = sizes.integer(i).orElse(node.unknown(i, at, node.has(1) ? node.whyNoContents(1) : ""));
            node.output(i, input.with(at, size), isComplete ? slice(node, input, offset, size) : Optional.empty());
            offset += size.value().orElse(0);
        }
    }

    private static Optional<Contents> slice(ShapeContext node, SymbolicShape input, long offset, Dimension size) {
        if (input.rank() != 1 || !input.isKnown() || !size.isKnown()) {
            return Optional.empty();
        }
        int count = (int) Math.min(size.value().getAsLong(), Contents.COUNT_MAX);
        return node.contents(0).filter(each -> offset + count <= each.count())
                .map(each -> Folding.picked(each, IntStream.range((int) offset, (int) offset + count).toArray()));
    }

    private static void expand(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        SymbolicShape wanted = shapeOf(node, 1);
        SymbolicShape shape = node.broadcast(input, wanted);
        boolean isComputed = Folding.isSmall(shape) && input.isKnown();
        node.output(0, shape, isComputed ? node.contents(0)
                .map(each -> Folding.picked(each, Folding.sources(input, shape))) : Optional.empty());
    }

    /** The shape that an input's elements are: what is not known of them is unknown in it. */
    static SymbolicShape shapeOf(ShapeContext node, int input) {
        Optional<Contents> contents = node.contents(input).filter(each -> !each.isFloats());
        List<Dimension> dimensions = new ArrayList<>();
        int rank = contents.map(Contents::count).orElseGet(() -> rankOf(node, input));
        for (int i = 0; i < rank; i++) {
            int axis = i;
            dimensions.add(contents.flatMap(each -> each.integer(axis))
                    .orElseGet(() -> node.unknown(0, axis, node.whyNoContents(input))));
            if (dimensions.getLast().isNegative() || rank > Shape.RANK_MAX) {
                throw node.conflict("no shape: " + contents.map(Contents::toString).orElse("rank " + rank));
            }
        }
        return new SymbolicShape(dimensions);
    }

    private static int rankOf(ShapeContext node, int input) {
        Dimension count = node.shape(input, 1).dimension(0);
        if (!count.isKnown()) {
            throw node.undetermined(node.whyNoContents(input));
        }
        return (int) Math.min(count.value().getAsLong(), Shape.RANK_MAX + 1);
    }

    private static void tile(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        SymbolicShape repeats = shapeOf(node, 1);
        if (repeats.rank() != input.rank()) {
            throw node.conflict(repeats.rank() + " repeats of " + input.rank() + " dimensions");
        }
        node.output(0, IntStream.range(0, input.rank())
                .mapToObj(i -> input.dimension(i).times(repeats.dimension(i))).toList());
    }

    /** Since version 18 the fourth input may say which axes are padded. */
    private static void pad(ShapeContext node, Contents pads) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0);
        long[] axes = node.version() >= 18 && node.has(3) ? node.numbers(3)
                : IntStream.range(0, input.rank()).mapToLong(i -> i).toArray();
        if (pads.count() != 2 * axes.length) {
            throw node.conflict(pads.count() + " pads of " + axes.length + " dimensions");
        }
        SymbolicShape padded = input;
        for (int i = 0; i < axes.length; i++) {
            int at = node.axis(axes[i], input.rank());
            Optional<Dimension> before = pads.integer(i);
            Optional<Dimension> behind = pads.integer(i + axes.length);
            Dimension size = before.isPresent() && behind.isPresent()
                    ? input.dimension(at).plus(before.get()).plus(behind.get())
                    : node.unknown(0, at, node.whyNoContents(1));
            if (size.isNegative()) {
                throw node.conflict("pads " + pads + " take more than " + input + " has");
            }
            padded = padded.with(at, size);
        }
        node.output(0, padded);
    }

    private static long blockSize(ShapeContext node) {
        long size = node.integer("blocksize", 0);
        if (size <= 0) {
            throw node.conflict("blocksize=" + size);
        }
        return size;
    }

    private static void depthToSpace(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0, 4);
        Dimension block = Dimension.of(blockSize(node));
        node.output(0, List.of(input.dimension(0), quotient(node, input.dimension(1), block.times(block)),
                input.dimension(2).times(block), input.dimension(3).times(block)));
    }

    private static void spaceToDepth(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape input = node.shape(0, 4);
        Dimension block = Dimension.of(blockSize(node));
        node.output(0, List.of(input.dimension(0), input.dimension(1).times(block.times(block)),
                quotient(node, input.dimension(2), block), quotient(node, input.dimension(3), block)));
    }

    private static Dimension quotient(ShapeContext node, Dimension size, Dimension block) {
        if (size.isKnown() && size.dividedExactlyBy(block).isEmpty()) {
            throw node.conflict(size + " is no multiple of " + block);
        }
        return size.dividedBy(block);
    }
}
