package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Stream;

import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * Nodes that go into a part together: a node, what makes the constants that it is the first to take, and behind it what runtimes fuse with
 * it. Nothing is lost by that: a tensor in the midst of a unit is constant, or as large as what is made of it, or larger.
 *
 * <p><b>Owner:</b> the partitioner. <b>Threading:</b> confined to its owner.
 */
final class Units {
    /** Computed for each element where that is made, before it is written. */
    private static final Set<String> FUSED = Set.of("Add", "BatchNormalization", "Clip", "Elu", "Gelu", "HardSigmoid",
            "HardSwish", "LeakyRelu", "Mul", "PRelu", "Relu", "Selu", "Sigmoid", "Softplus", "Tanh");

    private final InferredShapes shapes;
    private final Constants constants;
    private final Predicate<OnnxNode> isPut;
    private final Map<String, Integer> uses = new HashMap<>();
    private final List<List<OnnxNode>> units = new ArrayList<>();
    private final Map<String, List<OnnxNode>> makers = new HashMap<>();

    private Units(OnnxGraph graph, InferredShapes shapes, Constants constants, Predicate<OnnxNode> isPut) {
        this.shapes = shapes;
        this.constants = constants;
        this.isPut = isPut;
        Stream.concat(graph.nodes().stream().flatMap(node -> node.needs().stream()),
                graph.outputs().stream().map(ValueInfo::name)).forEach(name -> uses.merge(name, 1, Integer::sum));
    }

    /**
     * All nodes, in units that need nothing of those behind them but constants.
     *
     * @param isPut whether somebody has put a node into a part: nothing is fused with it
     */
    static List<List<OnnxNode>> of(OnnxGraph graph, InferredShapes shapes, Constants constants,
            Predicate<OnnxNode> isPut) {
        Units units = new Units(graph, shapes, constants, isPut);
        List<OnnxNode> order = shapes.order();
        order.stream().filter(node -> !constants.contains(node)).forEach(units::add);
        units.addConstants(order.stream().filter(constants::contains).toList());
        return units.units;
    }

    private void add(OnnxNode node) {
        List<OnnxNode> unit = fusedWith(node).orElseGet(this::newUnit);
        unit.add(node);
        node.outputs().forEach(output -> makers.put(output, unit));
    }

    private List<OnnxNode> newUnit() {
        List<OnnxNode> unit = new ArrayList<>();
        units.add(unit);
        return unit;
    }

    private Optional<List<OnnxNode>> fusedWith(OnnxNode node) {
        if (!node.domain().isEmpty() || !FUSED.contains(node.operator()) || isPut.test(node)) {
            return Optional.empty();
        }
        List<String> inputs = node.needs().stream().filter(name -> !constants.contains(name)).toList();
        return inputs.size() == 1 && uses.get(inputs.getFirst()) == 1 && !isLarger(node, inputs.getFirst())
                ? Optional.ofNullable(makers.get(inputs.getFirst())).filter(unit -> unit.stream().noneMatch(isPut))
                : Optional.empty();
    }

    /** As a sum is with a constant that is larger. */
    private boolean isLarger(OnnxNode node, String input) {
        long byteSize = Estimates.assumedByteSize(shapes.tensor(input));
        return node.outputs().stream().filter(output -> !output.isEmpty()).map(shapes::tensor)
                .anyMatch(output -> Estimates.assumedByteSize(output) > byteSize);
    }

    /** @param order all that make constants */
    private void addConstants(List<OnnxNode> order) {
        Map<String, Integer> firsts = new HashMap<>();
        for (int i = 0; i < units.size(); i++) {
            for (OnnxNode node : units.get(i)) {
                took(node, i, firsts);
            }
        }
        for (OnnxNode node : order.reversed()) {
            Optional<Integer> first = node.outputs().stream().map(firsts::get).filter(Objects::nonNull)
                    .min(Integer::compare);
            first.ifPresent(unit -> took(node, unit, firsts));
            first.filter(_ -> !isPut.test(node)).map(units::get).orElseGet(this::newUnit).addFirst(node);
        }
    }

    private static void took(OnnxNode node, int unit, Map<String, Integer> firsts) {
        node.needs().forEach(input -> firsts.merge(input, unit, Math::min));
    }
}
