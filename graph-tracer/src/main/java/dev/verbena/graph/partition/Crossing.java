package dev.verbena.graph.partition;

import java.util.List;

import dev.verbena.graph.onnx.OnnxNode;

/**
 * A tensor that a node in one part makes and nodes in others take.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param tensor its name
 * @param producer the node that makes it
 * @param producerPart the part of that node
 * @param consumerParts parts that take it, each once, ascending; all of them behind {@code producerPart}
 */
public record Crossing(String tensor, OnnxNode producer, int producerPart, List<Integer> consumerParts) {
    /** Copies the list of parts, in which nothing may be null. */
    public Crossing {
        consumerParts = List.copyOf(consumerParts);
    }
}
