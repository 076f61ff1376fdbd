package dev.verbena.graph;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * An output and a task that reads it but is not the one that computes it. However many nodes read it there, it crosses once.
 *
 * @param output of the whole graph
 * @param toTask where it is read
 * @param readers the nodes of the whole graph that read it there
 */
record CrossingEdge(Graph.Output output, String toTask, List<Graph.Node> readers) {
    /** Longest name that both ends accept (DESIGN: limits). */
    static final int NAME_BYTE_SIZE_MAX = 512;

    private record Key(Graph.Output output, String toTask) {}

    /** All crossing edges of a graph, in the order of their producers; the same on every task. */
    static List<CrossingEdge> of(Graph graph) {
        Map<Key, CrossingEdge> edges = new LinkedHashMap<>();
        for (Graph.Node producer : graph.nodes()) {
            for (int i = 0; i < producer.outputTypes().size(); i++) {
                addReaders(graph, producer.output(i), edges);
            }
        }
        return List.copyOf(edges.values());
    }

    private static void addReaders(Graph graph, Graph.Output output, Map<Key, CrossingEdge> edges) {
        for (Graph.Node reader : graph.readers(output)) {
            if (!reader.task().equals(output.node().task())) {
                edges.computeIfAbsent(new Key(output, reader.task()),
                        key -> new CrossingEdge(output, reader.task(), new ArrayList<>()).checked()).readers
                        .add(reader);
            }
        }
    }

    String fromTask() {
        return output.node().task();
    }

    TensorType type() {
        return output.type();
    }

    /** {@code <node>:<output>-><task>}: what both ends call the edge when they meet. */
    String name() {
        return output + "->" + toTask;
    }

    String sendName() {
        return "send/" + name();
    }

    String receiveName() {
        return "recv/" + name();
    }

    private CrossingEdge checked() {
        int byteSize = name().getBytes(StandardCharsets.UTF_8).length;
        if (byteSize > NAME_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException(
                    "the name of the crossing edge '" + name().substring(0, 40) + "...' has byteSize="
                            + byteSize + ", over byteSizeMax=" + NAME_BYTE_SIZE_MAX + "; give its node a shorter name");
        }
        return this;
    }

    @Override
    public String toString() {
        return name();
    }
}
