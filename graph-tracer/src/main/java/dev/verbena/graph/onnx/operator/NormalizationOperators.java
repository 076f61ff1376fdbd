package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.memory.ElementType;

/**
 * Normalization with statistics as further outputs, and quantization.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class NormalizationOperators {
    private static final int SCALE = 1;
    private static final int MEAN = 3;
    private static final int VARIANCE = 4;

    private NormalizationOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "BatchNormalization", 1, NormalizationOperators::batch)
                .with("", "LayerNormalization", 1, NormalizationOperators::layer)
                .with("", "QuantizeLinear", 10, NormalizationOperators::quantize)
                .with("", "DequantizeLinear", 10, NormalizationOperators::dequantize)
                .with("", "DynamicQuantizeLinear", 11, NormalizationOperators::quantizeDynamically);
    }

    /** Statistics have one number for each channel; versions before 14 have more of them as outputs. */
    private static void batch(ShapeContext node) {
        node.outputType(0, node.type(0));
        for (int i = 1; i < node.outputCount(); i++) {
            node.outputType(i, node.type(i % 2 == 1 ? MEAN : VARIANCE));
        }
        SymbolicShape input = node.shape(0);
        Dimension channels = input.rank() > 1 ? input.dimension(1) : Dimension.of(1);
        for (int i = SCALE; i <= VARIANCE; i++) {
            if (node.isRanked(i)) {
                channels = node.same(channels, node.shape(i, 1).dimension(0), "channels of " + input + " and input "
                        + i);
            }
        }
        node.output(0, input.rank() > 1 ? input.with(1, channels) : input);
        for (int i = 1; i < node.outputCount(); i++) {
            node.output(i, SymbolicShape.of(channels));
        }
    }

    private static void layer(ShapeContext node) {
        Optional<ElementType> ofStatistics = Types.ofCode(node.integer("stash_type", 1));
        node.outputType(0, node.type(0));
        node.outputType(1, ofStatistics);
        node.outputType(2, ofStatistics);
        SymbolicShape input = node.shape(0);
        int axis = node.axis(node.integer("axis", -1), input.rank());
        List<Dimension> statistics = new ArrayList<>(input.dimensions());
        for (int i = axis; i < input.rank(); i++) {
            statistics.set(i, Dimension.of(1));
        }
        node.output(0, input);
        node.output(1, statistics);
        node.output(2, statistics);
    }

    private static void quantize(ShapeContext node) {
        long type = node.integer("output_dtype", 0);
        node.outputType(0, type != 0 ? Types.ofCode(type)
                : node.has(2) ? node.type(2) : Optional.of(ElementType.UINT8));
        node.output(0, node.shape(0));
    }

    private static void dequantize(ShapeContext node) {
        long type = node.integer("output_dtype", 0);
        node.outputType(0, type != 0 ? Types.ofCode(type) : node.type(1));
        node.output(0, node.shape(0));
    }

    private static void quantizeDynamically(ShapeContext node) {
        node.outputType(0, ElementType.UINT8);
        node.outputType(1, ElementType.FLOAT32);
        node.outputType(2, ElementType.UINT8);
        node.output(1, SymbolicShape.SCALAR);
        node.output(2, SymbolicShape.SCALAR);
        node.output(0, node.shape(0));
    }
}
