package dev.verbena.graph.onnx;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.NoSuchElementException;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * What inference has found out about each tensor of a model.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param tensors facts by name: initializers, inputs, then outputs of nodes as they can be computed one after the other
 * @param order the nodes, each behind those whose outputs it needs
 * @param unknownOperators qualified names of operators without a shape function
 * @param dynamicRegions what holds graphs of its own that run once, several times or not at all
 * @param deadBranches which of those never run, in words
 */
public record InferredShapes(Map<String, TensorFacts> tensors, List<OnnxNode> order, Set<String> unknownOperators,
        List<OnnxNode> dynamicRegions, Set<String> deadBranches) {
    /** Copies what it is given; the tensors keep their order, both sets are sorted. */
    public InferredShapes {
        tensors = Collections.unmodifiableMap(new LinkedHashMap<>(tensors));
        order = List.copyOf(order);
        unknownOperators = Collections.unmodifiableSet(new TreeSet<>(unknownOperators));
        dynamicRegions = List.copyOf(dynamicRegions);
        deadBranches = Collections.unmodifiableSet(new TreeSet<>(deadBranches));
    }

    /** @throws NoSuchElementException if the model has no such tensor */
    public TensorFacts tensor(String name) {
        TensorFacts facts = tensors.get(name);
        if (facts == null) {
            throw new NoSuchElementException("no tensor is called '" + name + "'");
        }
        return facts;
    }

    /** Why tensors are dynamic, by the names of those that are. */
    public Map<String, String> dynamic() {
        Map<String, String> reasons = new TreeMap<>();
        tensors.forEach((name, facts) -> facts.whyDynamic().ifPresent(reason -> reasons.put(name, reason)));
        return reasons;
    }
}
