package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;

/**
 * What makes images larger or smaller, or samples them.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ResizeOperators {
    private ResizeOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "Upsample", 7, node -> scale(node, node.floats("scales")
                .map(ResizeOperators::doubles).orElseThrow(() -> node.conflict("attribute 'scales' is missing")),
                axes(node)))
                .with("", "Upsample", 9, node -> scale(node, 1)).with("", "Resize", 10, node -> scale(node, 1))
                .with("", "Resize", 11, ResizeOperators::resize)
                .with("", "GridSample", 16, ResizeOperators::gridSample)
                .with("", "RoiAlign", 10, ResizeOperators::roiAlign);
    }

    private static double[] doubles(float[] floats) {
        return IntStream.range(0, floats.length).mapToDouble(i -> floats[i]).toArray();
    }

    private static long[] axes(ShapeContext node) {
        return node.integers("axes")
                .orElseGet(() -> IntStream.range(0, node.shape(0).rank()).mapToLong(i -> i).toArray());
    }

    private static void scale(ShapeContext node, int input) {
        node.outputType(0, node.type(0));
        SymbolicShape image = node.shape(0);
        Optional<double[]> scales = node.contents(input).flatMap(Contents::floats);
        if (scales.isEmpty()) {
            node.output(0, unknown(node, image, axes(node), input));
            return;
        }
        scale(node, scales.get(), axes(node));
    }

    private static SymbolicShape unknown(ShapeContext node, SymbolicShape image, long[] axes, int input) {
        SymbolicShape resized = image;
        for (long axis : axes) {
            int at = node.axis(axis, image.rank());
            resized = resized.with(at, node.unknown(0, at, node.whyNoContents(input)));
        }
        return resized;
    }

    private static void scale(ShapeContext node, double[] scales, long[] axes) {
        node.outputType(0, node.type(0));
        SymbolicShape image = node.shape(0);
        if (scales.length != axes.length) {
            throw node.conflict(scales.length + " scales of " + axes.length + " dimensions");
        }
        SymbolicShape resized = image;
        for (int i = 0; i < scales.length; i++) {
            int at = node.axis(axes[i], image.rank());
            resized = resized.with(at, scaled(node, image.dimension(at), scales[i], at));
        }
        node.output(0, resized);
    }

    /** Rounded down; in single precision, as ONNX Runtime computes it. */
    private static Dimension scaled(ShapeContext node, Dimension size, double scale, int axis) {
        if (!(scale > 0 && scale < Integer.MAX_VALUE)) {
            throw node.conflict("scale=" + scale);
        }
        if (size.isKnown()) {
            return Dimension.of((long) ((float) size.value().getAsLong() * (float) scale));
        }
        if (scale == Math.rint(scale)) {
            return size.times(Dimension.of((long) scale));
        }
        double inverse = 1 / scale;
        return inverse == Math.rint(inverse) ? size.dividedBy(Dimension.of((long) inverse))
                : node.unknown(0, axis, size + " times " + scale + " is no sum of products of symbols");
    }

    /** Either scales or sizes; which axes they are of is said since version 18. */
    private static void resize(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape image = node.shape(0);
        long[] axes = axes(node);
        boolean hasSizes = node.has(3) && !isEmpty(node, 3);
        if (!hasSizes) {
            if (!node.has(2)) {
                throw node.conflict("neither scales nor sizes");
            }
            scale(node, 2);
            return;
        }
        boolean isStretched = node.text("keep_aspect_ratio_policy", "stretch").equals("stretch");
        Optional<Contents> sizes = node.contents(3).filter(each -> !each.isFloats());
        if (sizes.isEmpty() || !isStretched) {
            node.output(0, unknown(node, image, axes, 3));
            return;
        }
        if (sizes.get().count() != axes.length) {
            throw node.conflict(sizes.get().count() + " sizes of " + axes.length + " dimensions");
        }
        List<Dimension> dimensions = new ArrayList<>(image.dimensions());
        for (int i = 0; i < axes.length; i++) {
            int at = node.axis(axes[i], image.rank());
            dimensions.set(at, sizes.get().integer(i).orElseGet(() -> node.unknown(0, at, node.whyNoContents(3))));
        }
        node.output(0, dimensions);
    }

    private static boolean isEmpty(ShapeContext node, int input) {
        return node.isRanked(input) && node.shape(input).elementCount().is(0);
    }

    private static void gridSample(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape image = node.shape(0);
        SymbolicShape grid = node.shape(1, image.rank());
        if (image.rank() < 3) {
            throw node.conflict("an image of shape " + image + ": batch, channels and more are wanted");
        }
        List<Dimension> dimensions = new ArrayList<>(image.dimensions().subList(0, 2));
        dimensions.addAll(grid.dimensions().subList(1, grid.rank() - 1));
        node.output(0, dimensions);
    }

    private static void roiAlign(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape image = node.shape(0, 4);
        SymbolicShape regions = node.shape(1, 2);
        node.output(0, List.of(regions.dimension(0), image.dimension(1), Dimension.of(node.integer("output_height", 1)),
                Dimension.of(node.integer("output_width", 1))));
    }
}
