package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * What takes some elements: by their indices, by a range, or by what they are.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class IndexOperators {
    private IndexOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "Gather", 1, IndexOperators::gather)
                .with("", "GatherElements", 11, IndexOperators::gatherElements)
                .with("", "GatherND", 11, IndexOperators::gatherNd)
                .with("", "Slice", 1, node -> new Slicing(node, required(node, "starts"), required(node, "ends"),
                        node.integers("axes"), Optional.empty()).infer())
                .with("", "Slice", 10, IndexOperators::slice).with("", "OneHot", 9, IndexOperators::oneHot)
                .with("", "TopK", 1, node -> topK(node, Dimension.of(node.integer("k", 0))))
                .with("", "TopK", 10, IndexOperators::topK).with("", "NonZero", 9, IndexOperators::nonZero)
                .with("", "Compress", 9, IndexOperators::compress).with("", "Unique", 11, IndexOperators::unique)
                .with("", "NonMaxSuppression", 10, IndexOperators::nonMaxSuppression);
    }

    private static void gather(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape data = node.shape(0);
        SymbolicShape indices = node.shape(1);
        int axis = node.axis(node.integer("axis", 0), data.rank());
        List<Dimension> dimensions = new ArrayList<>(data.dimensions().subList(0, axis));
        dimensions.addAll(indices.dimensions());
        dimensions.addAll(data.dimensions().subList(axis + 1, data.rank()));
        node.output(0, dimensions);
        node.output(0, new SymbolicShape(dimensions), data.rank() == 1 ? gathered(node) : Optional.empty());
    }

    private static Optional<Contents> gathered(ShapeContext node) {
        Optional<long[]> indices = node.contents(1).flatMap(Contents::numbers);
        if (node.contents(0).isEmpty() || indices.isEmpty()) {
            return Optional.empty();
        }
        Contents data = node.contents(0).get();
        int[] picked = new int[indices.get().length];
        for (int i = 0; i < picked.length; i++) {
            picked[i] = node.axis(indices.get()[i], data.count());
        }
        return Optional.of(Folding.picked(data, picked));
    }

    private static void gatherElements(ShapeContext node) {
        node.outputType(0, node.type(0));
        node.output(0, node.shape(1));
    }

    private static void gatherNd(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape data = node.shape(0);
        SymbolicShape indices = node.shape(1);
        int batches = Math.clamp(node.integer("batch_dims", 0), 0, Math.max(0, indices.rank() - 1));
        if (indices.rank() == 0) {
            throw node.conflict("indices without a dimension");
        }
        Dimension last = indices.dimension(indices.rank() - 1);
        if (!last.isKnown()) {
            throw node.undetermined("how many of the dimensions of " + data + " " + node.label()
                    + " takes is known only at run time");
        }
        long taken = last.value().getAsLong() + batches;
        if (taken > data.rank() || taken < batches) {
            throw node.conflict("indices of " + last + " dimensions into " + data);
        }
        List<Dimension> dimensions = new ArrayList<>(indices.dimensions().subList(0, indices.rank() - 1));
        dimensions.addAll(data.dimensions().subList((int) taken, data.rank()));
        node.output(0, dimensions);
    }

    private static Optional<Contents> required(ShapeContext node, String attribute) {
        return Optional.of(Contents.ofIntegers(node.integers(attribute)
                .orElseThrow(() -> node.conflict("attribute '" + attribute + "' is missing"))));
    }

    private static void slice(ShapeContext node) {
        node.outputType(0, node.type(0));
        int rank = node.shape(0).rank();
        Optional<long[]> axes = node.has(3) ? node.contents(3).flatMap(Contents::numbers) : Optional.empty();
        if (node.has(3) && axes.isEmpty()) {
            // Any dimension may be cut.
            node.output(0, new SymbolicShape(IntStream.range(0, rank)
                    .mapToObj(i -> node.unknown(0, i, node.whyNoContents(3))).toList()));
            return;
        }
        Optional<Contents> steps = node.has(4) ? Optional.of(node.shapeContents(4)) : Optional.empty();
        new Slicing(node, node.contents(1), node.contents(2), axes, steps).infer();
    }

    private static void oneHot(ShapeContext node) {
        node.outputType(0, node.type(2));
        SymbolicShape indices = node.shape(0);
        int axis = node.axis(node.integer("axis", -1), indices.rank() + 1);
        Dimension depth = node.contents(1).filter(each -> each.count() == 1)
                .flatMap(each -> each.isFloats() ? Optional.of(Dimension.of((long) each.floats().get()[0]))
                        : each.integer(0))
                .orElseGet(() -> node.unknown(0, axis, node.whyNoContents(1)));
        List<Dimension> dimensions = new ArrayList<>(indices.dimensions());
        dimensions.add(axis, depth);
        node.output(0, dimensions);
    }

    private static void topK(ShapeContext node) {
        int rank = node.isRanked(0) ? node.shape(0).rank() : 1;
        int axis = node.axis(node.integer("axis", -1), Math.max(1, rank));
        topK(node, node.contents(1).filter(each -> each.count() == 1).flatMap(each -> each.integer(0))
                .orElseGet(() -> node.unknown(0, axis, node.whyNoContents(1))));
    }

    private static void topK(ShapeContext node, Dimension count) {
        node.outputType(0, node.type(0));
        node.outputType(1, ElementType.INT64);
        SymbolicShape input = node.shape(0);
        int axis = node.axis(node.integer("axis", -1), input.rank());
        if (count.isNegative() || input.dimension(axis).isLessThan(count).orElse(false)) {
            throw node.conflict("k=" + count + " of a dimension of " + input.dimension(axis));
        }
        node.output(0, input.with(axis, count));
        node.output(1, input.with(axis, count));
    }

    /** Exporters that had no Range count what is filled with ones. */
    private static void nonZero(ShapeContext node) {
        node.outputType(0, ElementType.INT64);
        Dimension count = node.facts(0).everywhere()
                .map(each -> each == 0 ? Dimension.of(0) : node.shape(0).elementCount())
                .or(() -> node.contents(0).flatMap(Contents::numbers)
                        .map(each -> Dimension.of(Arrays.stream(each).filter(number -> number != 0).count())))
                .orElseGet(() -> node.unknown(0, 1,
                        "how many elements " + node.label() + " finds that are not 0 is known only at run time"));
        node.output(0, SymbolicShape.of(Dimension.of(node.shape(0).rank()), count));
    }

    private static void compress(ShapeContext node) {
        node.outputType(0, node.type(0));
        String reason = "how many elements " + node.label() + " takes is known only at run time";
        if (!node.hasAttribute("axis")) {
            node.output(0, SymbolicShape.of(node.unknown(0, 0, reason)));
            return;
        }
        SymbolicShape input = node.shape(0);
        int axis = node.axis(node.integer("axis", 0), input.rank());
        node.output(0, input.with(axis, node.unknown(0, axis, reason)));
    }

    private static void unique(ShapeContext node) {
        node.outputType(0, node.type(0));
        for (int i = 1; i <= 3; i++) {
            node.outputType(i, ElementType.INT64);
        }
        String reason = "how many different elements " + node.label() + " finds is known only at run time";
        if (!node.hasAttribute("axis")) {
            Dimension count = node.unknown(0, 0, reason);
            node.output(0, SymbolicShape.of(count));
            node.output(1, SymbolicShape.of(count));
            node.output(3, SymbolicShape.of(count));
            node.output(2, SymbolicShape.of(node.shape(0).elementCount()));
            return;
        }
        SymbolicShape input = node.shape(0);
        int axis = node.axis(node.integer("axis", 0), input.rank());
        Dimension count = node.unknown(0, axis, reason);
        node.output(0, input.with(axis, count));
        node.output(1, SymbolicShape.of(count));
        node.output(2, SymbolicShape.of(input.dimension(axis)));
        node.output(3, SymbolicShape.of(count));
    }

    private static void nonMaxSuppression(ShapeContext node) {
        node.outputType(0, ElementType.INT64);
        node.output(0, SymbolicShape.of(node.unknown(0, 0, "how many boxes " + node.label()
                + " selects is known only at run time"), Dimension.of(3)));
    }
}
