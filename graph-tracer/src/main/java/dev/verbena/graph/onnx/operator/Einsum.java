package dev.verbena.graph.onnx.operator;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.ShapeContext;

/**
 * Einstein's sums: each dimension of each input has a letter, and the output has those that its term has.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class Einsum {
    private static final String ELLIPSIS = "...";

    private final ShapeContext node;
    private final Map<Character, Dimension> letters = new HashMap<>();
    /** How often each stands in a term of an input: those that stand once are the output's if it says nothing. */
    private final Map<Character, Integer> counts = new TreeMap<>();
    private SymbolicShape ellipsis = SymbolicShape.SCALAR;

    Einsum(ShapeContext node) {
        this.node = node;
    }

    void infer() {
        node.outputType(0, node.type(0));
        String equation = node.text("equation", "").replace(" ", "");
        String[] sides = equation.split("->", -1);
        String[] terms = sides[0].split(",", -1);
        if (terms.length != node.inputCount() || sides.length > 2) {
            throw node.conflict("equation '" + equation + "' of " + node.inputCount() + " inputs");
        }
        for (int i = 0; i < terms.length; i++) {
            read(terms[i], node.shape(i));
        }
        String output = sides.length == 2 ? sides[1] : implied(sides[0]);
        List<Dimension> dimensions = new ArrayList<>();
        int at = output.indexOf(ELLIPSIS);
        String lettersOfOutput = output.replace(ELLIPSIS, "");
        for (int i = 0; i <= lettersOfOutput.length(); i++) {
            if (i == at) {
                dimensions.addAll(ellipsis.dimensions());
            }
            if (i < lettersOfOutput.length()) {
                Dimension size = letters.get(lettersOfOutput.charAt(i));
                if (size == null) {
                    throw node.conflict("'" + lettersOfOutput.charAt(i) + "' of '" + output + "' is in no input");
                }
                dimensions.add(size);
            }
        }
        node.output(0, dimensions);
    }

    private void read(String term, SymbolicShape shape) {
        int at = term.indexOf(ELLIPSIS);
        String named = term.replace(ELLIPSIS, "");
        int more = shape.rank() - named.length();
        if (more < 0 || at < 0 && more > 0) {
            throw node.conflict("'" + term + "' is no term for shape " + shape);
        }
        for (int i = 0; i < named.length(); i++) {
            char letter = named.charAt(i);
            Dimension size = shape.dimension(at >= 0 && i >= at ? i + more : i);
            Dimension known = letters.get(letter);
            // As ONNX Runtime has it, what is 1 is broadcast.
            letters.put(letter, known == null ? size : known.broadcastWith(size).orElseThrow(
                    () -> node.conflict("'" + letter + "' is " + known + " and " + size)));
            counts.merge(letter, 1, Integer::sum);
        }
        if (at >= 0) {
            ellipsis = node.broadcast(ellipsis, new SymbolicShape(shape.dimensions().subList(at, at + more)));
        }
    }

    private String implied(String inputs) {
        StringBuilder output = new StringBuilder(inputs.contains(ELLIPSIS) ? ELLIPSIS : "");
        counts.forEach((letter, count) -> {
            if (count == 1) {
                output.append(letter);
            }
        });
        return output.toString();
    }
}
