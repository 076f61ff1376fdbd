package dev.verbena.graph.onnx;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The nodes of a model, or of a branch or loop within one, and what they begin with. Each tensor has one origin: an input, an
 * initializer or the output of one node.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param nodes as the model has them, which may be in any order
 * @param initializers tensors that the model brings along, by name
 * @param inputs all that are declared: old models declare initializers too
 * @param values what the model says of tensors in between
 */
public record OnnxGraph(String name, List<OnnxNode> nodes, Map<String, OnnxTensor> initializers,
        List<ValueInfo> inputs, List<ValueInfo> outputs, List<ValueInfo> values) {
    /** Copies what it is given; the initializers keep their order. */
    public OnnxGraph {
        nodes = List.copyOf(nodes);
        initializers = Collections.unmodifiableMap(new LinkedHashMap<>(initializers));
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        values = List.copyOf(values);
    }

    /** The inputs that a run must be given: those that no initializer stands for. */
    public List<ValueInfo> requiredInputs() {
        return inputs.stream().filter(input -> !initializers.containsKey(input.name())).toList();
    }

    /** Names that its nodes, and the graphs within them, use without anything here making them. */
    public Set<String> free() {
        Set<String> bound = new HashSet<>(initializers.keySet());
        inputs.forEach(input -> bound.add(input.name()));
        nodes.forEach(node -> bound.addAll(node.outputs()));
        List<String> used = new ArrayList<>();
        nodes.forEach(node -> used.addAll(node.needs()));
        outputs.forEach(output -> used.add(output.name()));
        Set<String> free = new HashSet<>(used);
        free.removeAll(bound);
        free.remove("");
        return free;
    }
}
