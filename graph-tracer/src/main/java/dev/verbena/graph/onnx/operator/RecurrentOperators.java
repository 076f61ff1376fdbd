package dev.verbena.graph.onnx.operator;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.ShapeContext;
import dev.verbena.graph.onnx.ShapeFunctions;

/**
 * Recurrent networks: of a sequence, [sequence, batch, input], weights [directions, gates * hidden, input] and recurrence [directions,
 * gates * hidden, hidden].
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class RecurrentOperators {
    private RecurrentOperators() {}

    static ShapeFunctions addTo(ShapeFunctions functions) {
        return functions.with("", "LSTM", 1, node -> recur(node, 4)).with("", "GRU", 1, node -> recur(node, 3))
                .with("", "RNN", 1, node -> recur(node, 1));
    }

    private static void recur(ShapeContext node, int gates) {
        for (int i = 0; i < 3; i++) {
            node.outputType(i, node.type(0));
        }
        SymbolicShape input = node.shape(0, 3);
        Dimension directions = Dimension.of(node.text("direction", "forward").equals("bidirectional") ? 2 : 1);
        Dimension hidden = node.hasAttribute("hidden_size") ? Dimension.of(node.integer("hidden_size", 0))
                : node.shape(2, 3).dimension(2);
        checkWeights(node, 1, gates, directions, hidden, input.dimension(2));
        checkWeights(node, 2, gates, directions, hidden, hidden);
        boolean isBatchFirst = node.integer("layout", 0) != 0;
        Dimension sequence = input.dimension(isBatchFirst ? 1 : 0);
        Dimension batch = input.dimension(isBatchFirst ? 0 : 1);
        List<Dimension> last = isBatchFirst ? List.of(batch, directions, hidden) : List.of(directions, batch, hidden);
        node.output(0, isBatchFirst ? List.of(batch, sequence, directions, hidden)
                : List.of(sequence, directions, batch, hidden));
        node.output(1, last);
        node.output(2, last);
    }

    private static void checkWeights(ShapeContext node, int weights, int gates, Dimension directions, Dimension hidden,
            Dimension input) {
        if (node.isRanked(weights)) {
            SymbolicShape shape = node.shape(weights, 3);
            node.same(shape.dimension(0), directions, "directions of weights " + shape);
            node.same(shape.dimension(1), hidden.times(Dimension.of(gates)),
                    "hidden size, times " + gates + ", and weights " + shape);
            node.same(shape.dimension(2), input, "columns of weights " + shape + " and what they are multiplied with");
        }
    }
}
