package dev.verbena.graph.onnx;

import java.util.Collections;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A model as its file says: a graph and the versions of the operators in it. {@link OnnxReader} makes it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param irVersion of the format of the file
 * @param producer what wrote it; for messages
 * @param opsets versions of the sets of operators, by domain; that of ONNX itself is called ""
 * @param functions qualified names of operators that the model itself defines
 *
 * @see <a href="https://github.com/onnx/onnx/blob/main/docs/IR.md">ONNX IR</a>
 */
public record OnnxModel(long irVersion, String producer, Map<String, Long> opsets, OnnxGraph graph,
        Set<String> functions) {
    /** Copies the versions, sorted by domain, and the names of functions. */
    public OnnxModel {
        opsets = Collections.unmodifiableMap(new TreeMap<>(opsets));
        functions = Set.copyOf(functions);
    }

    /** The version of a domain's operators that it uses; 1 if it does not say. */
    public long opset(String domain) {
        return opsets.getOrDefault(domain, 1L);
    }
}
