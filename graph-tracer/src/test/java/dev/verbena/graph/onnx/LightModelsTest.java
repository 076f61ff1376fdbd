package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import ai.onnxruntime.OnnxTensor;
import dev.verbena.memory.Shape;

/** Shapes of all tensors of models of others are those that ONNX Runtime computes. The models lie beside the project, where there are some. */
class LightModelsTest {
    private static final Path MODELS = Path.of(System.getProperty("verbena.home", "..")).resolve("../shared/data/onnx");

    @ParameterizedTest
    @CsvSource({"light_bvlc_alexnet, 24", "light_vgg19, 46", "light_inception_v1, 142"})
    void everyShapeIsWhatOnnxRuntimeComputes(String name, int nodeCount) throws Exception {
        Path file = MODELS.resolve(name + ".onnx");
        assumeTrue(Files.exists(file), () -> "no such file: " + file);
        OnnxModel model = OnnxReader.read(file);
        assertTrue(model.graph().nodes().size() >= nodeCount, () -> "nodes: " + model.graph().nodes().size());
        InferredShapes inferred = ShapeInference.of(model).infer();
        assertEquals(Map.of(), inferred.dynamic());
        assertEquals(Set.of(), inferred.unknownOperators());

        Set<String> outputs = new TreeSet<>();
        model.graph().nodes().forEach(node -> outputs.addAll(node.outputs()));
        outputs.remove("");
        Map<String, OnnxTensor> inputs = new HashMap<>();
        for (ValueInfo input : model.graph().requiredInputs()) {
            inputs.put(input.name(), OnnxRuntime.zeros(input.elementType().get(),
                    inferred.tensor(input.name()).shape().get().toShape().dimensions()));
        }
        Map<String, String> computed = OnnxRuntime.run(Files.readAllBytes(file), outputs, inputs).entrySet().stream()
                .collect(Collectors.toMap(Map.Entry::getKey, each -> text(each.getValue())));
        assertEquals(outputs, computed.keySet());
        assertEquals(computed, outputs.stream()
                .collect(Collectors.toMap(output -> output, output -> text(inferred.tensor(output)))));
    }

    private static String text(OnnxRuntime.Computed computed) {
        return computed.type() + " " + computed.shape();
    }

    private static String text(TensorFacts facts) {
        Shape shape = facts.shape().get().toShape();
        return facts.elementType().get() + " " + shape;
    }
}
