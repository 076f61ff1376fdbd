package dev.verbena.graph.onnx;

import java.util.HashMap;
import java.util.Map;

import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.operator.StandardOperators;

/**
 * Finds out the type and shape of each tensor of a model before it runs: from its inputs on, node after node, each by the shape function of its
 * operator. Small tensors of integers that shapes are computed from are computed along.
 *
 * <p>A node whose operator has no shape function has outputs of which nothing is known, and so have operators that the model itself
 * defines; that is no error. Of If, Loop and Scan is known what is so whichever branch is taken, and however often they run. What
 * contradicts itself is an error, and names the way from the inputs.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ShapeInference {
    private final OnnxModel model;
    private final ShapeFunctions functions;
    private final Map<String, Long> symbols;
    private final Map<String, SymbolicShape> shapes;

    private ShapeInference(OnnxModel model, ShapeFunctions functions, Map<String, Long> symbols,
            Map<String, SymbolicShape> shapes) {
        this.model = model;
        this.functions = functions;
        this.symbols = symbols;
        this.shapes = shapes;
    }

    /** With the inputs as the model declares them. */
    public static ShapeInference of(OnnxModel model) {
        return new ShapeInference(model, standardFunctions(), Map.of(), Map.of());
    }

    /** Those of ONNX's own operators, {@code docs/guide/onnx.md}. */
    public static ShapeFunctions standardFunctions() {
        return Standard.FUNCTIONS;
    }

    /** Made when they are first asked for. */
    private static final class Standard {
        private static final ShapeFunctions FUNCTIONS = StandardOperators.functions();
    }

    /** With shape functions of one's own, for operators of one's own. */
    public ShapeInference with(ShapeFunctions others) {
        return new ShapeInference(model, others, symbols, shapes);
    }

    /** With a number for a symbol of the model's inputs. */
    public ShapeInference withSymbol(String symbol, long size) {
        Map<String, Long> more = new HashMap<>(symbols);
        more.put(symbol, size);
        return new ShapeInference(model, functions, Map.copyOf(more), shapes);
    }

    /** With another shape of an input than the model declares: another batch. What it declares of other tensors is then not looked at. */
    public ShapeInference withInput(String input, SymbolicShape shape) {
        if (model.graph().inputs().stream().noneMatch(each -> each.name().equals(input))) {
            throw new IllegalArgumentException("the model has no input '" + input + "'");
        }
        Map<String, SymbolicShape> more = new HashMap<>(shapes);
        more.put(input, shape);
        return new ShapeInference(model, functions, symbols, Map.copyOf(more));
    }

    /** @throws OnnxException if the model is no graph, or its shapes contradict each other */
    public InferredShapes infer() {
        return new InferencePass(model, functions, symbols, shapes).run();
    }
}
