package dev.verbena.graph.onnx;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One operation of a graph.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param position among the nodes of its graph
 * @param name empty if it has none
 * @param domain of its operator; empty for that of ONNX itself
 * @param operator such as {@code Conv}
 * @param inputs names of tensors; empty where an optional one is left out
 * @param outputs names of tensors; empty where an optional one is left out
 * @param captured names that the graphs among its attributes, as those of an If, take from the graph around them
 * @param metadata what whoever made the model noted down for others
 */
public record OnnxNode(int position, String name, String domain, String operator, List<String> inputs,
        List<String> outputs, Map<String, OnnxAttribute> attributes, Set<String> captured,
        Map<String, String> metadata) {
    /** Copies what it is given; the attributes keep their order. */
    public OnnxNode {
        inputs = List.copyOf(inputs);
        outputs = List.copyOf(outputs);
        attributes = Collections.unmodifiableMap(new LinkedHashMap<>(attributes));
        captured = Set.copyOf(captured);
        metadata = Map.copyOf(metadata);
    }

    /** Such as {@code ai.onnx.ml.Scaler}; without a domain for those of ONNX itself. */
    public String qualifiedOperator() {
        return domain.isEmpty() ? operator : domain + "." + operator;
    }

    /** What it needs, for itself or for graphs among its attributes, which come last: names of tensors, each once. A copy. */
    public Set<String> needs() {
        Set<String> needs = new LinkedHashSet<>(inputs);
        captured.stream().sorted().forEach(needs::add);
        needs.remove("");
        return needs;
    }

    /** What messages call it: its name, or its position. */
    public String label() {
        return "node " + (name.isEmpty() ? "#" + position : "'" + name + "'") + " (" + qualifiedOperator() + ")";
    }

    @Override
    public String toString() {
        return label();
    }
}
