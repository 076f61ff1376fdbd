package dev.verbena.graph.partition;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.graph.onnx.InferredShapes;
import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxModel;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.graph.onnx.ShapeFunctions;
import dev.verbena.graph.onnx.ShapeInference;
import dev.verbena.graph.onnx.ValueInfo;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/** A graph made by hand: each node has outputs of so many bytes, whatever it takes. */
final class TestGraph {
    private static final String OPERATOR = "Make";

    private final List<OnnxNode> nodes = new ArrayList<>();
    private final Map<String, OnnxTensor> initializers = new LinkedHashMap<>();
    private final List<ValueInfo> inputs = new ArrayList<>();
    private final List<ValueInfo> outputs = new ArrayList<>();
    private final Map<String, Long> byteSizes = new HashMap<>();

    TestGraph input(String name, long byteSize) {
        inputs.add(value(name, byteSize));
        return this;
    }

    TestGraph output(String name) {
        outputs.add(new ValueInfo(name, "UINT8", Optional.of(ElementType.UINT8), Optional.empty(), true));
        return this;
    }

    TestGraph weights(String name, long byteSize) {
        initializers.put(name, new OnnxTensor(name, ElementType.UINT8.code(), Shape.of(byteSize), Optional.empty(),
                Optional.empty()));
        return this;
    }

    /** Called by its output; inputs with commas between. */
    TestGraph node(String output, long byteSize, String inputNames) {
        return node(OPERATOR, output, byteSize, inputNames);
    }

    TestGraph node(String operator, String output, long byteSize, String inputNames) {
        return node(operator, output, byteSize, inputNames, Map.of());
    }

    TestGraph node(String operator, String output, long byteSize, String inputNames, Map<String, String> metadata) {
        return node("test", operator, output, byteSize, inputNames, metadata);
    }

    TestGraph foreignNode(String domain, String operator, String output, long byteSize, String inputNames) {
        return node(domain, operator, output, byteSize, inputNames, Map.of());
    }

    private TestGraph node(String domain, String operator, String output, long byteSize, String inputNames,
            Map<String, String> metadata) {
        byteSizes.put(output, byteSize);
        nodes.add(new OnnxNode(nodes.size(), output, domain, operator,
                inputNames.isEmpty() ? List.of() : Arrays.asList(inputNames.split(",")), List.of(output), Map.of(),
                Set.of(), metadata));
        return this;
    }

    private static ValueInfo value(String name, long byteSize) {
        return new ValueInfo(name, "UINT8", Optional.of(ElementType.UINT8),
                Optional.of(List.of(Optional.of(Dimension.of(byteSize)))), true);
    }

    OnnxGraph graph() {
        return new OnnxGraph("test", nodes, initializers, inputs, outputs, List.of());
    }

    InferredShapes infer() {
        ShapeFunctions functions = ShapeInference.standardFunctions();
        for (OnnxNode node : nodes) {
            functions = functions.with("test", node.operator(), 1, context -> {
                context.outputType(0, ElementType.UINT8);
                context.output(0, SymbolicShape.of(byteSizes.get(context.node().outputs().getFirst())));
            });
        }
        return ShapeInference.of(new OnnxModel(8, "test", Map.of("test", 1L), graph(), Set.of())).with(functions)
                .infer();
    }
}
