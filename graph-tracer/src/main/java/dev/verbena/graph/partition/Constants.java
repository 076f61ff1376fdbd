package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
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
                    && names.containsAll(Partitioning.inputsOf(node))) {
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

    /** The same nodes, those that make constants directly before the first that takes them: they belong to it. */
    List<OnnxNode> sunk(List<OnnxNode> order) {
        Map<String, OnnxNode> makers = new HashMap<>();
        order.stream().filter(this::contains).forEach(node -> node.outputs().forEach(name -> makers.put(name, node)));
        List<OnnxNode> sunk = new ArrayList<>();
        Set<Integer> done = new HashSet<>();
        order.stream().filter(node -> !contains(node)).forEach(node -> {
            List<OnnxNode> needed = new ArrayList<>(List.of(node));
            // Each behind those that take from it; so they are added from behind.
            for (int i = 0; i < needed.size(); i++) {
                Partitioning.inputsOf(needed.get(i)).stream().filter(makers::containsKey).map(makers::get)
                        .forEach(needed::add);
            }
            needed.reversed().stream().filter(each -> done.add(each.position())).forEach(sunk::add);
        });
        order.stream().filter(node -> done.add(node.position())).forEach(sunk::add);
        return sunk;
    }
}
