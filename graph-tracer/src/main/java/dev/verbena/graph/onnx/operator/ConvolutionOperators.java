package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * What moves a window over images: convolutions and pools. The first dimensions of an image are batch and channels.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class ConvolutionOperators {
    private static final Dimension ONE = Dimension.of(1);

    private ConvolutionOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        ShapeFunctions all = functions.with("", "Conv", 1, node -> convolve(node, 0, 1, node.type(0)))
                .with("", "ConvInteger", 10, node -> convolve(node, 0, 1, Optional.of(ElementType.INT32)))
                .with("", "QLinearConv", 10, node -> convolve(node, 0, 3, node.type(7)))
                .with("", "ConvTranspose", 1, ConvolutionOperators::convolveTransposed);
        for (String pool : List.of("MaxPool", "AveragePool", "LpPool")) {
            all = all.with("", pool, 1, ConvolutionOperators::pool);
        }
        for (String pool : List.of("GlobalMaxPool", "GlobalAveragePool", "GlobalLpPool")) {
            all = all.with("", pool, 1, ConvolutionOperators::poolGlobally);
        }
        return all;
    }

    private static SymbolicShape image(ShapeContext node, int input) {
        SymbolicShape image = node.shape(input);
        if (image.rank() < 3) {
            throw node.conflict("an image of shape " + image + ": batch, channels and more are wanted");
        }
        return image;
    }

    private static void convolve(ShapeContext node, int input, int weightsInput, Optional<ElementType> type) {
        node.outputType(0, type);
        SymbolicShape image = image(node, input);
        SymbolicShape weights = node.isRanked(weightsInput) ? node.shape(weightsInput, image.rank()) : null;
        List<Dimension> kernel = node.integers("kernel_shape").map(sizes -> dimensions(node, sizes, image.rank() - 2))
                .orElseGet(() -> node.shape(weightsInput, image.rank()).dimensions().subList(2, image.rank()));
        List<Dimension> dimensions = new ArrayList<>();
        dimensions.add(image.dimension(0));
        if (weights == null) {
            dimensions.add(node.unknown(0, 1, node.facts(weightsInput).reason().orElseThrow()));
        } else {
            Dimension groups = Dimension.of(node.integer("group", 1));
            node.same(image.dimension(1), weights.dimension(1).times(groups), "channels of image " + image
                    + " and weights " + weights + " in " + groups + " groups");
            dimensions.add(weights.dimension(0));
        }
        Window window = Window.of(node, image.rank() - 2);
        for (int i = 0; i < kernel.size(); i++) {
            dimensions.add(window.size(i, image.dimension(i + 2), kernel.get(i), false));
        }
        node.output(0, dimensions);
    }

    private static List<Dimension> dimensions(ShapeContext node, long[] sizes, int count) {
        if (sizes.length != count) {
            throw node.conflict("kernel_shape has " + sizes.length + " numbers, the image " + count + " dimensions");
        }
        List<Dimension> dimensions = new ArrayList<>();
        for (long size : sizes) {
            if (size <= 0) {
                throw node.conflict("kernel_shape has " + size);
            }
            dimensions.add(Dimension.of(size));
        }
        return dimensions;
    }

    private static void pool(ShapeContext node) {
        node.outputType(0, node.type(0));
        node.outputType(1, ElementType.INT64);
        SymbolicShape image = image(node, 0);
        long[] sizes = node.integers("kernel_shape")
                .orElseThrow(() -> node.conflict("attribute 'kernel_shape' is missing"));
        List<Dimension> kernel = dimensions(node, sizes, image.rank() - 2);
        Window window = Window.of(node, kernel.size());
        boolean isCeiling = node.integer("ceil_mode", 0) != 0;
        List<Dimension> dimensions = new ArrayList<>(image.dimensions().subList(0, 2));
        for (int i = 0; i < kernel.size(); i++) {
            dimensions.add(window.size(i, image.dimension(i + 2), kernel.get(i), isCeiling));
        }
        node.output(0, dimensions);
        node.output(1, dimensions);
    }

    private static void poolGlobally(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape image = image(node, 0);
        List<Dimension> dimensions = new ArrayList<>(image.dimensions().subList(0, 2));
        dimensions.addAll(Collections.nCopies(image.rank() - 2, ONE));
        node.output(0, dimensions);
    }

    private static void convolveTransposed(ShapeContext node) {
        node.outputType(0, node.type(0));
        SymbolicShape image = image(node, 0);
        SymbolicShape weights = node.shape(1, image.rank());
        int count = image.rank() - 2;
        node.same(image.dimension(1), weights.dimension(0), "channels of image " + image + " and weights " + weights);
        List<Dimension> kernel = node.integers("kernel_shape").map(sizes -> dimensions(node, sizes, count))
                .orElseGet(() -> weights.dimensions().subList(2, image.rank()));
        List<Dimension> dimensions = new ArrayList<>();
        dimensions.add(image.dimension(0));
        dimensions.add(weights.dimension(1).times(Dimension.of(node.integer("group", 1))));
        Window window = Window.of(node, count);
        Optional<long[]> wanted = node.integers("output_shape");
        if (wanted.isPresent() && wanted.get().length < count) {
            throw node.conflict("output_shape has " + wanted.get().length + " numbers, the image " + count
                    + " dimensions");
        }
        for (int i = 0; i < count; i++) {
            dimensions.add(wanted.isPresent() ? Dimension.of(wanted.get()[wanted.get().length - count + i])
                    : window.sizeTransposed(i, image.dimension(i + 2), kernel.get(i)));
        }
        node.output(0, dimensions);
    }
}
