package dev.verbena.graph.onnx;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/** A model made by hand, as bytes. */
final class TestModel {
    private static final long IR_VERSION = 8;

    private final ProtoWriter graph = new ProtoWriter().text(2, "test");
    private final Map<String, Long> opsets = new LinkedHashMap<>();
    private final List<String> outputs = new ArrayList<>();
    private int nodeCount;

    static TestModel of(long opset) {
        TestModel model = new TestModel();
        model.opsets.put("", opset);
        return model;
    }

    TestModel opset(String domain, long version) {
        opsets.put(domain, version);
        return this;
    }

    /** Dimensions are numbers, names, or null for those about which nothing is said. */
    TestModel input(String name, ElementType type, Object... dimensions) {
        graph.message(11, value(name, type, dimensions));
        return this;
    }

    TestModel output(String name, ElementType type, Object... dimensions) {
        outputs.add(name);
        graph.message(12, value(name, type, dimensions));
        return this;
    }

    /** Without a word about it. */
    TestModel output(String name) {
        outputs.add(name);
        graph.message(12, new ProtoWriter().text(1, name));
        return this;
    }

    TestModel value(ElementType type, String name, Object... dimensions) {
        graph.message(13, value(name, type, dimensions));
        return this;
    }

    private static ProtoWriter value(String name, ElementType type, Object... dimensions) {
        ProtoWriter shape = new ProtoWriter();
        for (Object dimension : dimensions) {
            ProtoWriter one = new ProtoWriter();
            if (dimension instanceof Number number) {
                one.integer(1, number.longValue());
            } else if (dimension != null) {
                one.text(2, (String) dimension);
            }
            shape.message(1, one);
        }
        ProtoWriter tensor = new ProtoWriter().integer(1, type.code()).message(2, shape);
        return new ProtoWriter().text(1, name).message(2, new ProtoWriter().message(1, tensor));
    }

    /** A vector of INT64. */
    TestModel integers(String name, long... elements) {
        return initializer(name, ElementType.INT64, Shape.of(elements.length), raw(elements));
    }

    TestModel scalar(String name, long element) {
        return initializer(name, ElementType.INT64, Shape.of(), raw(element));
    }

    /** A vector of FLOAT32. */
    TestModel floats(String name, float... elements) {
        ByteBuffer raw = ByteBuffer.allocate(elements.length * Float.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        raw.asFloatBuffer().put(elements);
        return initializer(name, ElementType.FLOAT32, Shape.of(elements.length), raw.array());
    }

    /** Of zeros. */
    TestModel zeros(String name, ElementType type, long... dimensions) {
        return initializer(name, type, Shape.of(dimensions), new byte[(int) Shape.of(dimensions).byteSize(type)]);
    }

    private TestModel initializer(String name, ElementType type, Shape shape, byte[] raw) {
        graph.message(5, tensor(name, type, shape, raw));
        return this;
    }

    private static byte[] raw(long... elements) {
        ByteBuffer raw = ByteBuffer.allocate(elements.length * Long.BYTES).order(ByteOrder.LITTLE_ENDIAN);
        raw.asLongBuffer().put(elements);
        return raw.array();
    }

    static ProtoWriter tensor(String name, ElementType type, Shape shape, byte[] raw) {
        ProtoWriter tensor = new ProtoWriter();
        Arrays.stream(shape.dimensions()).forEach(dimension -> tensor.integer(1, dimension));
        return tensor.integer(2, type.code()).text(8, name).bytes(9, raw);
    }

    /** A node called by its operator, with inputs and outputs by names with commas between; attributes by name and value, in turns. */
    TestModel node(String operator, String inputs, String outputNames, Object... attributes) {
        return foreignNode("", operator, inputs, outputNames, attributes);
    }

    /** Of an operator that is not ONNX's own. */
    TestModel foreignNode(String domain, String operator, String inputs, String outputNames, Object... attributes) {
        graph.message(1, nodeOf(domain, operator, inputs, outputNames, attributes)
                .text(3, operator.toLowerCase(Locale.ROOT) + nodeCount++));
        return this;
    }

    private static ProtoWriter nodeOf(String domain, String operator, String inputs, String outputNames,
            Object... attributes) {
        ProtoWriter node = new ProtoWriter().text(4, operator).text(7, domain);
        if (!inputs.isEmpty()) {
            Arrays.stream(inputs.split(",", -1)).forEach(each -> node.text(1, each));
        }
        Arrays.stream(outputNames.split(",", -1)).forEach(each -> node.text(2, each));
        for (int i = 0; i < attributes.length; i += 2) {
            node.message(5, attribute((String) attributes[i], attributes[i + 1]));
        }
        return node;
    }

    private static ProtoWriter attribute(String name, Object value) {
        ProtoWriter attribute = new ProtoWriter().text(1, name);
        switch (value) {
            case Float number -> attribute.integer(20, 1).single(2, number);
            case Number number -> attribute.integer(20, 2).integer(3, number.longValue());
            case String text -> attribute.integer(20, 3).text(4, text);
            case ProtoWriter tensor -> attribute.integer(20, 4).message(5, tensor);
            case TestModel body -> attribute.integer(20, 5).message(6, body.graph);
            case float[] numbers -> {
                attribute.integer(20, 6);
                for (float number : numbers) {
                    attribute.single(7, number);
                }
            }
            case long[] numbers -> {
                attribute.integer(20, 7);
                Arrays.stream(numbers).forEach(number -> attribute.integer(8, number));
            }
            default -> throw new IllegalArgumentException(name + "=" + value);
        }
        return attribute;
    }

    byte[] bytes() {
        ProtoWriter model = new ProtoWriter().integer(1, IR_VERSION).message(7, graph);
        opsets.forEach((domain, version) -> model.message(8, new ProtoWriter().text(1, domain).integer(2, version)));
        return model.toBytes();
    }

    OnnxModel model() {
        return read(bytes());
    }

    static OnnxModel read(byte[] bytes) {
        return OnnxReader.read(MemorySegment.ofArray(bytes), "test.onnx");
    }

    InferredShapes infer() {
        return ShapeInference.of(model()).infer();
    }
}
