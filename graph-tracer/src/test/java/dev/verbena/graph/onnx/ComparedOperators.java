package dev.verbena.graph.onnx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.stream.Collectors;

import org.junit.jupiter.api.AfterEach;

import ai.onnxruntime.OnnxTensor;
import dev.verbena.graph.Dimension;
import dev.verbena.graph.SymbolicShape;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * What is inferred of small models, each for one operator: it is what is expected; with numbers for its symbols it is what ONNX Runtime
 * computes of zeros, contents included; and of inputs of which less is known, no other.
 */
abstract class ComparedOperators {
    static final ElementType F = ElementType.FLOAT32;
    static final ElementType I = ElementType.INT64;
    /** What symbols stand for. */
    private static final Map<String, Long> NUMBERS = Map.of("N", 2L, "M", 3L, "S", 5L, "H", 9L, "W", 8L);

    /** Of each model: attributes and inputs of its operator that are wrong are refused as all that is malformed. */
    private static final int MUTATIONS = 20;

    private final List<String> failures = new ArrayList<>();

    @AfterEach
    void allAreAsExpected() {
        assertEquals("", String.join("\n", failures));
    }

    /** @param expected of the outputs of the last node, with "; " between */
    final void check(String expected, TestModel model) {
        check(expected, model, true);
    }

    /** As {@link #check}, of an operator or a version of one that ONNX Runtime has not. */
    final void checkInferred(String expected, TestModel model) {
        check(expected, model, false);
    }

    private void check(String expected, TestModel model, boolean isCompared) {
        String what = "?";
        try {
            byte[] bytes = model.bytes();
            OnnxModel read = TestModel.read(bytes);
            OnnxNode last = read.graph().nodes().getLast();
            what = last + " " + last.attributes().keySet() + " version " + read.opset("");
            InferredShapes inferred = ShapeInference.of(read).infer();
            assertEquals(expected, last.outputs().stream().map(output -> inferred.tensor(output).shape()
                    .map(SymbolicShape::toString).orElse("?")).collect(Collectors.joining("; ")));
            for (int seed = 0; seed < MUTATIONS; seed++) {
                Mutations.isRefused(Mutations.mutated(bytes, new Random(seed)));
            }
            if (isCompared) {
                compare(read, bytes, inferred);
            }
        } catch (Exception | AssertionError failure) {
            failures.add(what + ": " + failure.getMessage());
        }
    }

    private static void compare(OnnxModel read, byte[] bytes, InferredShapes inferred) throws Exception {
        ShapeInference bound = ShapeInference.of(read);
        ShapeInference vague = ShapeInference.of(read);
        Map<String, OnnxTensor> inputs = new HashMap<>();
        for (Map.Entry<String, Long> number : NUMBERS.entrySet()) {
            bound = bound.withSymbol(number.getKey(), number.getValue());
        }
        for (ValueInfo input : read.graph().requiredInputs()) {
            SymbolicShape shape = inferred.tensor(input.name()).shape().get();
            List<Dimension> unknown = new ArrayList<>();
            for (int i = 0; i < shape.rank(); i++) {
                unknown.add(Dimension.unknown(input.name() + i, "this test says so"));
            }
            vague = vague.withInput(input.name(), new SymbolicShape(unknown));
            inputs.put(input.name(), OnnxRuntime.zeros(input.elementType().get(),
                    shape.bind(NUMBERS).toShape().dimensions()));
        }
        InferredShapes known = bound.infer();
        Set<String> outputs = new LinkedHashSet<>();
        read.graph().nodes().forEach(node -> outputs.addAll(node.outputs()));
        outputs.remove("");
        for (String output : outputs) {
            assertMonotone(output, inferred.tensor(output), known.tensor(output));
            assertMonotone(output, vague.infer().tensor(output), inferred.tensor(output));
        }
        OnnxRuntime.run(bytes, outputs, inputs)
                .forEach((output, computed) -> assertAgrees(output, known.tensor(output), computed));
    }

    /** That what is said of less says nothing else of more. */
    private static void assertMonotone(String name, TensorFacts less, TensorFacts more) {
        if (less.shape().isEmpty()) {
            return;
        }
        SymbolicShape few = less.shape().get();
        SymbolicShape many = more.shape().orElseThrow(() -> new AssertionError(name + " was " + less));
        assertEquals(few.rank(), many.rank(), name);
        for (int i = 0; i < few.rank(); i++) {
            if (!few.dimension(i).isUnknown()) {
                assertEquals(few.dimension(i).bind(NUMBERS), many.dimension(i).bind(NUMBERS),
                        name + ": " + less + " " + more);
            }
        }
    }

    private static void assertAgrees(String name, TensorFacts facts, OnnxRuntime.Computed computed) {
        assertEquals(computed.type(), facts.elementType().orElse(null), name);
        facts.shape().ifPresent(shape -> {
            assertEquals(computed.shape().rank(), shape.rank(), name + " " + computed.shape());
            for (int i = 0; i < shape.rank(); i++) {
                int axis = i;
                shape.dimension(i).value().ifPresent(size -> assertEquals(computed.shape().dimension(axis), size,
                        name + " is " + facts + ", and " + computed.shape() + " is computed"));
            }
        });
        facts.contents().flatMap(Contents::numbers).filter(numbers -> computed.integers() != null)
                .ifPresent(numbers -> assertEquals(Arrays.toString(computed.integers()),
                        Arrays.toString(numbers), name));
    }

    static long[] longs(long... numbers) {
        return numbers;
    }

    static ProtoWriter tensor(long... elements) {
        ByteBuffer raw = ByteBuffer.allocate(elements.length * Long.BYTES)
                .order(ByteOrder.LITTLE_ENDIAN);
        raw.asLongBuffer().put(elements);
        return TestModel.tensor("", I, Shape.of(elements.length), raw.array());
    }

    /** An image. */
    static TestModel image(long opset) {
        return TestModel.of(opset).input("x", F, "N", 4, "H", "W");
    }

    /** A matrix. */
    static TestModel matrix(long opset) {
        return TestModel.of(opset).input("x", F, "N", 6);
    }
}
