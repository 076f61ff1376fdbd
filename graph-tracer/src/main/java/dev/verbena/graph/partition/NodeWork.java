package dev.verbena.graph.partition;

import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxAttribute;
import dev.verbena.graph.onnx.OnnxAttribute.Kind;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.TensorFacts;

/**
 * How many floating-point operations a node takes, from shapes alone: two for each product that is added to a sum, one for each element
 * of everything else, none for what only moves elements.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class NodeWork {
    private static final Set<String> MOVES = Set.of("Cast", "CastLike", "Concat", "Constant", "ConstantOfShape",
            "DepthToSpace", "Dropout", "Expand", "EyeLike", "Flatten", "Gather", "GatherElements", "GatherND",
            "Identity", "OneHot", "Pad", "Range", "Reshape", "ReverseSequence", "ScatterElements", "ScatterND", "Shape",
            "Size", "Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "Transpose", "Unsqueeze");

    private final OnnxNode node;
    private final InferredShapes shapes;

    private NodeWork(OnnxNode node, InferredShapes shapes) {
        this.node = node;
        this.shapes = shapes;
    }

    /** Symbolic where shapes are; empty where they are not known, or nobody knows what the operator does. */
    static Optional<Dimension> of(OnnxNode node, InferredShapes shapes) {
        if (!node.domain().isEmpty() || shapes.dynamicRegions().contains(node)) {
            return Optional.empty();
        }
        try {
            return new NodeWork(node, shapes).count();
        } catch (ArithmeticException | IndexOutOfBoundsException _) {
            return Optional.empty();
        }
    }

    private Optional<Dimension> count() {
        if (MOVES.contains(node.operator())) {
            return Optional.of(Dimension.of(0));
        }
        return switch (node.operator()) {
            case "Conv", "ConvInteger" -> products(output(), perOutput(1));
            case "QLinearConv" -> products(output(), perOutput(3));
            case "ConvTranspose" -> products(input(0), perOutput(1));
            case "MatMul", "MatMulInteger", "QLinearMatMul" -> products(output(), lastOf(0, 1));
            case "Gemm" -> products(output(), lastOf(0, transposed() ? 2 : 1));
            case "LSTM", "GRU", "RNN" -> recurrent();
            case "MaxPool", "AveragePool", "LpPool" -> output()
                    .map(count -> times(count, (long[]) node.attributes().get("kernel_shape").value()));
            default -> largest();
        };
    }

    private boolean transposed() {
        OnnxAttribute attribute = node.attributes().get("transA");
        return attribute != null && attribute.kind() == Kind.INTEGER && (long) attribute.value() != 0;
    }

    private static Dimension times(Dimension count, long[] factors) {
        Dimension product = count;
        for (long factor : factors) {
            product = product.times(Dimension.of(factor));
        }
        return product;
    }

    private static Optional<Dimension> products(Optional<Dimension> count, Optional<Dimension> each) {
        return count.flatMap(number -> each.map(number::times)).map(Dimension.of(2)::times);
    }

    /** Weights for one output channel, or one input channel of a transposed convolution: all but the first dimension. */
    private Optional<Dimension> perOutput(int weights) {
        return shape(weights).map(SymbolicShape::dimensions).map(all -> product(all.subList(1, all.size())));
    }

    private static Dimension product(List<Dimension> dimensions) {
        return dimensions.stream().reduce(Dimension.of(1), Dimension::times);
    }

    private Optional<Dimension> lastOf(int input, int fromBehind) {
        return shape(input).map(shape -> shape.dimension(shape.rank() - fromBehind));
    }

    /** Each weight is used once for each element of each sequence. */
    private Optional<Dimension> recurrent() {
        Optional<Dimension> steps = shape(0).map(shape -> shape.dimension(0).times(shape.dimension(1)));
        Optional<Dimension> weights = input(1).flatMap(one -> input(2).map(one::plus));
        return products(steps, weights);
    }

    /** Of its first input and first output: a reduction takes much and gives little. */
    private Optional<Dimension> largest() {
        Optional<Dimension> made = output();
        Optional<Dimension> taken = node.inputs().isEmpty() ? Optional.empty() : input(0);
        return made.flatMap(one -> taken.map(other -> one.isKnown() && other.isKnown() ? one.max(other)
                : Estimates.assumed(one) >= Estimates.assumed(other) ? one : other).or(() -> made));
    }

    private Optional<Dimension> output() {
        return elements(node.outputs().getFirst());
    }

    private Optional<Dimension> input(int index) {
        return elements(node.inputs().get(index));
    }

    private Optional<Dimension> elements(String name) {
        return facts(name).flatMap(TensorFacts::shape).map(SymbolicShape::elementCount);
    }

    private Optional<SymbolicShape> shape(int input) {
        return facts(node.inputs().get(input)).flatMap(TensorFacts::shape);
    }

    private Optional<TensorFacts> facts(String name) {
        Map<String, TensorFacts> tensors = shapes.tensors();
        return Optional.ofNullable(tensors.get(name));
    }
}
