package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/** A part of a model is a model, which has the nodes as they are in the file. */
class OnnxCutterTest {
    private static final int UNKNOWN_FIELD = 900;

    /** x [N, 4] -> Relu -> r -> MatMul by w -> m -> Add b -> y; with fields that no reader knows. */
    private static TestModel model() {
        return TestModel.of(17).opset("com.example", 3).input("x", ElementType.FLOAT32, "N", 4).floats("b", 1, 2, 3)
                .zeros("w", ElementType.FLOAT32, 4, 3).node("Relu", "x", "r").node("MatMul", "r,w", "m")
                .value(ElementType.FLOAT32, "m", "N", 3).node("Add", "m,b", "y", "unheard_of", 7)
                .output("y", ElementType.FLOAT32, "N", 3);
    }

    private static byte[] withUnknownFields(byte[] model) {
        byte[] graph = new ProtoWriter().text(UNKNOWN_FIELD, "of the graph").toBytes();
        byte[] more = new ProtoWriter().bytes(7, graph).text(UNKNOWN_FIELD, "of the model").toBytes();
        byte[] whole = Arrays.copyOf(model, model.length + more.length);
        System.arraycopy(more, 0, whole, model.length, more.length);
        return whole;
    }

    private static ValueInfo value(OnnxModel model, String name) {
        TensorFacts facts = ShapeInference.of(model).infer().tensor(name);
        return new ValueInfo(name, "", facts.elementType(),
                facts.shape().map(shape -> shape.dimensions().stream().map(Optional::of).toList()), true);
    }

    private static byte[] cut(byte[] bytes, List<Integer> nodes, String input, String output, Set<String> given) {
        OnnxModel model = TestModel.read(bytes);
        return OnnxCutter.of(model, MemorySegment.ofArray(bytes), "test.onnx").cut(
                nodes.stream().map(model.graph().nodes()::get).toList(), List.of(value(model, input)),
                List.of(value(model, output)), tensor -> given.contains(tensor.name()));
    }

    @Test
    void aPartHasItsNodesItsInitializersAndTheTypesOfWhatCrosses() {
        OnnxModel part = TestModel.read(cut(model().bytes(), List.of(1, 2), "r", "y", Set.of()));
        assertEquals(List.of("MatMul", "Add"), part.graph().nodes().stream().map(OnnxNode::operator).toList());
        assertEquals(7L, part.graph().nodes().get(1).attributes().get("unheard_of").value());
        assertEquals(Map.of("", 17L, "com.example", 3L), part.opsets());
        assertEquals(Set.of("w", "b"), part.graph().initializers().keySet());
        assertEquals(List.of("m"), part.graph().values().stream().map(ValueInfo::name).toList());
        assertEquals("[FLOAT32 [N, 4]]", ShapeInference.of(part).infer().tensors().entrySet().stream()
                .filter(each -> each.getKey().equals("r")).map(each -> each.getValue().toString()).toList().toString());
        assertEquals("FLOAT32 [N, 3]", ShapeInference.of(part).infer().tensor("y").toString());
    }

    @Test
    void whatNoReaderKnowsIsKept() {
        byte[] part = cut(withUnknownFields(model().bytes()), List.of(0), "x", "r", Set.of());
        String text = new String(part, StandardCharsets.ISO_8859_1);
        assertTrue(text.contains("of the graph") && text.contains("of the model"), text);
        assertEquals(List.of("Relu"), TestModel.read(part).graph().nodes().stream().map(OnnxNode::operator).toList());
    }

    @Test
    void aGivenInitializerIsThereWithoutItsElements() {
        byte[] part = cut(model().bytes(), List.of(1, 2), "r", "y", Set.of("w"));
        OnnxTensor weights = TestModel.read(part).graph().initializers().get("w");
        assertEquals(Shape.of(4, 3), weights.shape());
        assertEquals(Optional.of(ElementType.FLOAT32), weights.elementType());
        assertTrue(weights.external().isPresent() && weights.raw().isEmpty(), weights::toString);
        OnnxTensor kept = TestModel.read(part).graph().initializers().get("b");
        assertArrayEquals(new float[]{1, 2, 3}, kept.raw().get().toArray(ValueLayout.JAVA_FLOAT_UNALIGNED));
    }

    @Test
    void whatHasNoTypeIsNoInput() {
        OnnxModel model = model().model();
        OnnxCutter cutter = OnnxCutter.of(model, MemorySegment.ofArray(model().bytes()), "test.onnx");
        ValueInfo unknown = new ValueInfo("r", "sequence", Optional.empty(), Optional.empty(), false);
        String message = assertThrows(IllegalArgumentException.class,
                () -> cutter.cut(model.graph().nodes().subList(1, 3), List.of(unknown), List.of(), _ -> false))
                .getMessage();
        assertEquals("'r' is sequence, no tensor of a known type", message);
    }
}
