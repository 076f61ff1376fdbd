package dev.verbena.graph.onnx.operator;

import dev.verbena.graph.onnx.ShapeFunctions;

/**
 * All operators of ONNX's own domain that have shape functions here. What they do says ONNX's Operators.md, and where it is silent, ONNX
 * Runtime.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class StandardOperators {
    private StandardOperators() {}

    public static ShapeFunctions functions() {
        ShapeFunctions functions = ElementwiseOperators.addTo(ShapeFunctions.none());
        functions = LayoutOperators.addTo(functions);
        functions = SourceOperators.addTo(functions);
        functions = IndexOperators.addTo(functions);
        functions = ReductionOperators.addTo(functions);
        functions = MatrixOperators.addTo(functions);
        functions = ConvolutionOperators.addTo(functions);
        functions = RecurrentOperators.addTo(functions);
        functions = NormalizationOperators.addTo(functions);
        return ResizeOperators.addTo(functions);
    }
}
