package dev.verbena.graph.partition;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;

/**
 * What is the same in every run: initializers, and what nodes make of nothing else. Runtimes make it once, so that it is weights as well.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Constants {
    private static final Set<String> RANDOM = Set.of("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike",
            "RandomUniform", "RandomUniformLike");

    private final Set<String> names;
    private final Set<Integer> positions = new HashSet<>();

    /** @param order all nodes, each behind those whose outputs it needs */
    Constants(OnnxGraph graph, List<OnnxNode> order) {
        names = new HashSet<>(graph.initializers().keySet());
        for (OnnxNode node : order) {
            if (node.domain().isEmpty() && !RANDOM.contains(node.operator())
                    && names.containsAll(node.needs())) {
                positions.add(node.position());
                names.addAll(node.outputs());
            }
        }
    }

    boolean contains(String tensor) {
        return names.contains(tensor);
    }

    /** Whether all that a node makes is constant. */
    boolean contains(OnnxNode node) {
        return positions.contains(node.position());
    }
}
