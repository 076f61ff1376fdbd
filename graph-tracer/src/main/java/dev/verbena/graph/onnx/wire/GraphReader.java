package dev.verbena.graph.onnx.wire;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.onnx.OnnxGraph;
import dev.verbena.graph.onnx.OnnxNode;
import dev.verbena.graph.onnx.OnnxTensor;
import dev.verbena.graph.onnx.ValueInfo;

/**
 * Reads a {@code GraphProto}, in one piece or several.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class GraphReader {
    static final int NODE = 1;
    private static final int NAME = 2;
    static final int INITIALIZER = 5;
    static final int INPUT = 11;
    static final int OUTPUT = 12;
    static final int VALUE_INFO = 13;
    private static final int SPARSE_INITIALIZER = 15;

    private final TensorReader tensors;
    private final int depth;
    private final List<OnnxNode> nodes = new ArrayList<>();
    private final Map<String, OnnxTensor> initializers = new LinkedHashMap<>();
    private final List<ValueInfo> inputs = new ArrayList<>();
    private final List<ValueInfo> outputs = new ArrayList<>();
    private final List<ValueInfo> values = new ArrayList<>();
    private String name = "";

    /** @param depth how many graphs this one is within */
    GraphReader(TensorReader tensors, int depth) {
        this.tensors = tensors;
        this.depth = depth;
    }

    void read(WireReader graph) {
        while (graph.next()) {
            switch (graph.field()) {
                case NODE -> nodes.add(new NodeReader(tensors, depth).read(graph.message("node[" + nodes.size() + "]"),
                        nodes.size()));
                case NAME -> name = graph.text();
                case INITIALIZER -> {
                    OnnxTensor tensor = tensors.read(graph.message("initializer[" + initializers.size() + "]"));
                    if (tensor.name().isEmpty() || initializers.put(tensor.name(), tensor) != null) {
                        throw graph.failure(tensor.name().isEmpty() ? "an initializer without a name"
                                : "two initializers are called '" + tensor.name() + "'");
                    }
                }
                case INPUT -> inputs.add(ValueInfoReader.read(graph.message("input[" + inputs.size() + "]")));
                case OUTPUT -> outputs.add(ValueInfoReader.read(graph.message("output[" + outputs.size() + "]")));
                case VALUE_INFO -> values.add(ValueInfoReader.read(graph.message("value_info[" + values.size() + "]")));
                case SPARSE_INITIALIZER -> throw graph.failure("sparse initializers are not supported");
                default -> graph.skip();
            }
        }
    }

    OnnxGraph graph() {
        return new OnnxGraph(name, nodes, initializers, inputs, outputs, values);
    }
}
