package dev.verbena.graph.onnx.wire;

import java.lang.foreign.MemorySegment;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

import dev.verbena.graph.onnx.OnnxModel;

/**
 * Reads a {@code ModelProto}. Field numbers are those of onnx.proto, which never change. As protobuf wants it, a message that comes in
 * several pieces is all of them together, and what is not known is left out.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ModelReader {
    private static final int IR_VERSION = 1;
    private static final int PRODUCER = 2;
    static final int GRAPH = 7;
    private static final int OPSET = 8;
    private static final int FUNCTION = 25;

    private ModelReader() {}

    /** @param folder where files lie that have weights */
    public static OnnxModel read(MemorySegment bytes, String name, Optional<Path> folder) {
        WireReader model = new WireReader(bytes, 0, name);
        GraphReader graph = new GraphReader(new TensorReader(folder), 0);
        Map<String, Long> opsets = new HashMap<>();
        Set<String> functions = new HashSet<>();
        long irVersion = 0;
        String producer = "";
        boolean hasGraph = false;
        while (model.next()) {
            switch (model.field()) {
                case IR_VERSION -> irVersion = model.integer();
                case PRODUCER -> producer = model.text();
                case GRAPH -> {
                    graph.read(model.message("graph"));
                    hasGraph = true;
                }
                case OPSET -> readOpset(model.message("opset_import"), opsets);
                case FUNCTION -> functions.add(functionName(model.message("functions[" + functions.size() + "]")));
                default -> model.skip();
            }
        }
        if (!hasGraph) {
            throw model.failure("no graph is there: this is no ONNX model");
        }
        return new OnnxModel(irVersion, producer, opsets, graph.graph(), functions);
    }

    private static void readOpset(WireReader opset, Map<String, Long> opsets) {
        String domain = "";
        long version = 0;
        while (opset.next()) {
            switch (opset.field()) {
                case 1 -> domain = opset.text();
                case 2 -> version = opset.integer();
                default -> opset.skip();
            }
        }
        opsets.put(NodeReader.canonical(domain), version);
    }

    private static String functionName(WireReader function) {
        String name = "";
        String domain = "";
        while (function.next()) {
            switch (function.field()) {
                case 1 -> name = function.text();
                case 10 -> domain = NodeReader.canonical(function.text());
                default -> function.skip();
            }
        }
        return domain.isEmpty() ? name : domain + "." + name;
    }
}
