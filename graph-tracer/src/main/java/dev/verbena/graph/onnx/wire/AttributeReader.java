package dev.verbena.graph.onnx.wire;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.DoubleStream;
import java.util.stream.LongStream;

import dev.verbena.graph.onnx.OnnxAttribute;
import dev.verbena.graph.onnx.OnnxAttribute.Kind;
import dev.verbena.graph.onnx.OnnxGraph;

/**
 * Reads an {@code AttributeProto}.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class AttributeReader {
    /** How deep branches and loops may lie within each other. */
    private static final int DEPTH_MAX = 32;
    /** By their codes in {@code AttributeProto.AttributeType}. */
    private static final List<Kind> KINDS = List.of(Kind.OTHER, Kind.FLOAT, Kind.INTEGER, Kind.STRING, Kind.TENSOR,
            Kind.GRAPH, Kind.FLOATS, Kind.INTEGERS, Kind.STRINGS, Kind.OTHER, Kind.GRAPHS);

    private final TensorReader tensors;
    private final int depth;
    private final Map<Kind, Object> found = new EnumMap<>(Kind.class);
    private final LongStream.Builder integers = LongStream.builder();
    private final DoubleStream.Builder floats = DoubleStream.builder();
    private final List<String> texts = new ArrayList<>();
    private final List<OnnxGraph> graphs = new ArrayList<>();

    /** @param depth how many graphs the node is within, beside the model's own */
    AttributeReader(TensorReader tensors, int depth) {
        this.tensors = tensors;
        this.depth = depth;
    }

    /** @param captured takes the names that its graphs take from around them */
    OnnxAttribute read(WireReader attribute, Set<String> captured) {
        String name = "";
        boolean isReference = false;
        long type = 0;
        while (attribute.next()) {
            switch (attribute.field()) {
                case 1 -> name = attribute.text();
                case 2 -> found.put(Kind.FLOAT, attribute.singlePrecision());
                case 3 -> found.put(Kind.INTEGER, attribute.integer());
                case 4 -> attribute.anyText().ifPresent(text -> found.put(Kind.STRING, text));
                case 5 -> found.put(Kind.TENSOR, tensors.read(attribute.message("t")));
                case 6 -> found.put(Kind.GRAPH, readGraph(attribute.message("g"), captured));
                case 7 -> {
                    attribute.singlePrecisions(floats);
                    found.put(Kind.FLOATS, floats);
                }
                case 8 -> {
                    attribute.integers(integers);
                    found.put(Kind.INTEGERS, integers);
                }
                case 9 -> {
                    texts.add(attribute.anyText().orElse(""));
                    found.put(Kind.STRINGS, texts);
                }
                case 11 -> {
                    graphs.add(readGraph(attribute.message("graphs[" + graphs.size() + "]"), captured));
                    found.put(Kind.GRAPHS, graphs);
                }
                case 20 -> type = attribute.integer();
                case 21 -> isReference = !attribute.text().isEmpty();
                default -> attribute.skip();
            }
        }
        if (name.isEmpty()) {
            throw attribute.failure("an attribute without a name");
        }
        return attribute(name, isReference ? Kind.OTHER : kind(type));
    }

    private OnnxGraph readGraph(WireReader message, Set<String> captured) {
        if (depth == DEPTH_MAX) {
            throw message.failure("graphs lie within each other more than " + DEPTH_MAX + " deep");
        }
        GraphReader reader = new GraphReader(tensors, depth + 1);
        reader.read(message);
        OnnxGraph graph = reader.graph();
        captured.addAll(graph.free());
        return graph;
    }

    /** Models older than types of attributes have none: there it is that of which there is a value. */
    private Kind kind(long type) {
        if (type <= 0) {
            return found.size() == 1 ? found.keySet().iterator().next() : Kind.OTHER;
        }
        return type < KINDS.size() ? KINDS.get((int) type) : Kind.OTHER;
    }

    /** As protobuf has it, a number that is not there is 0, and a list is empty. */
    private OnnxAttribute attribute(String name, Kind kind) {
        Object value = switch (kind) {
            case FLOAT -> found.getOrDefault(kind, 0f);
            case INTEGER -> found.getOrDefault(kind, 0L);
            case STRING -> found.getOrDefault(kind, "");
            case INTEGERS -> integers.build().toArray();
            case FLOATS -> floats();
            case STRINGS -> List.copyOf(texts);
            case GRAPHS -> List.copyOf(graphs);
            case TENSOR, GRAPH -> found.get(kind);
            case OTHER -> null;
        };
        return new OnnxAttribute(name, value == null ? Kind.OTHER : kind, value);
    }

    private float[] floats() {
        double[] numbers = floats.build().toArray();
        float[] singles = new float[numbers.length];
        for (int i = 0; i < numbers.length; i++) {
            singles[i] = (float) numbers[i];
        }
        return singles;
    }
}
