package dev.verbena.graph.onnx.wire;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.onnx.OnnxAttribute;
import dev.verbena.graph.onnx.OnnxNode;

/**
 * Reads a {@code NodeProto} with its attributes.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class NodeReader {
    private static final String ONNX_DOMAIN = "ai.onnx";

    private final TensorReader tensors;
    private final int depth;
    private final List<String> inputs = new ArrayList<>();
    private final List<String> outputs = new ArrayList<>();
    private final Map<String, OnnxAttribute> attributes = new LinkedHashMap<>();
    private final Set<String> captured = new HashSet<>();
    private final Map<String, String> metadata = new LinkedHashMap<>();

    NodeReader(TensorReader tensors, int depth) {
        this.tensors = tensors;
        this.depth = depth;
    }

    /** ONNX's own domain has two names. */
    static String canonical(String domain) {
        return domain.equals(ONNX_DOMAIN) ? "" : domain;
    }

    OnnxNode read(WireReader node, int position) {
        String name = "";
        String operator = "";
        String domain = "";
        while (node.next()) {
            switch (node.field()) {
                case 1 -> inputs.add(node.text());
                case 2 -> outputs.add(node.text());
                case 3 -> name = node.text();
                case 4 -> operator = node.text();
                case 5 -> {
                    OnnxAttribute attribute = new AttributeReader(tensors, depth)
                            .read(node.message("attribute[" + attributes.size() + "]"), captured);
                    if (attributes.put(attribute.name(), attribute) != null) {
                        throw node.failure("two attributes are called '" + attribute.name() + "'");
                    }
                }
                case 7 -> domain = canonical(node.text());
                case 9 -> readMetadata(node.message("metadata_props[" + metadata.size() + "]"));
                default -> node.skip();
            }
        }
        if (operator.isEmpty()) {
            throw node.failure("a node without an operator");
        }
        return new OnnxNode(position, name, domain, operator, inputs, outputs, attributes, captured, metadata);
    }

    /** Of a key that is there twice the last counts, as with any map in protobuf. */
    private void readMetadata(WireReader entry) {
        String key = "";
        String value = "";
        while (entry.next()) {
            switch (entry.field()) {
                case 1 -> key = entry.text();
                case 2 -> value = entry.text();
                default -> entry.skip();
            }
        }
        metadata.put(key, value);
    }
}
