package dev.verbena.graph.partition;

import java.util.List;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.onnx.OnnxNode;

/**
 * What one part takes of its process.
 *
 * <p>Memory is that of tensors. What the part is given is there all the time: it has been placed there before. What a node makes lives until
 * the last node that takes it is done; what is sent, or is a result, until the part is done. No node is taken to write into what it reads.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Sizes are in bytes.
 *
 * @param weightBytes of what the model brings along, and of what nodes make of that alone; apart from {@code peakBytes}
 * @param peakBytes when most is alive, without tensors whose size is not known before the run
 * @param peakNode the node that runs then
 * @param unsizedCount tensors whose size is not known before the run
 * @param receivedBytes of tensors of known size
 * @param sentBytes of tensors of known size, once for each part that takes them
 * @param operations floating-point operations, of the nodes of which that is known; symbolic where shapes are
 * @param uncounted nodes of which it is not
 */
public record PartFigures(Part part, long weightBytes, long peakBytes, OnnxNode peakNode, int unsizedCount,
        long receivedBytes, long sentBytes, Dimension operations, List<OnnxNode> uncounted) {
    /** Copies the list of nodes, in which nothing may be null. */
    public PartFigures {
        uncounted = List.copyOf(uncounted);
    }
}
