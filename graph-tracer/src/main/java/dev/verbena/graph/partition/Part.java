package dev.verbena.graph.partition;

import java.util.List;

import dev.verbena.graph.onnx.OnnxNode;

/**
 * What one process runs of a model, in one go: everything that it takes is there before, or is made by itself.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable. Names come once each, in the order of their first use or making.
 *
 * @param index from 0; tensors go from a part to those behind it
 * @param nodes each behind those whose outputs it needs; what only makes constants can be in other parts as well
 * @param initializers what its nodes, and the graphs within them, use of what the model brings along
 * @param feeds the model's inputs that they use
 * @param receives what they use that earlier parts make
 * @param sends what they make that later parts use
 * @param results what they make that is an output of the model
 */
public record Part(int index, List<OnnxNode> nodes, List<String> initializers, List<String> feeds,
        List<String> receives, List<String> sends, List<String> results) {
    /** Copies the lists, in which nothing may be null. */
    public Part {
        nodes = List.copyOf(nodes);
        initializers = List.copyOf(initializers);
        feeds = List.copyOf(feeds);
        receives = List.copyOf(receives);
        sends = List.copyOf(sends);
        results = List.copyOf(results);
    }
}
