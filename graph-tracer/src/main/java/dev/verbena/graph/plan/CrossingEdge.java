package dev.verbena.graph.plan;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Predicate;

import dev.verbena.graph.Graph;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;

/**
 * An output and a task that reads it but is not the one that computes it. However many nodes read it there, it crosses once.
 *
 * <p>Or, of a node that is a control input there, that it has run: a tensor of one byte, since an arrival is what everybody can wait for.
 * A node that reads an output of its control input hears by that, and needs no such edge.
 *
 * <p><b>Owner:</b> the plan. <b>Threading:</b> immutable.
 *
 * @param producer the node of the whole graph that computes it, or has run
 * @param index of the output; {@link #CONTROL} for none
 * @param toTask where it is read
 * @param readers the nodes of the whole graph that read it there, or wait for it
 * @param mayBeDead whether it is of a branch that a run may not take; the peer is told so then, in place of a tensor
 */
public record CrossingEdge(Graph.Node producer, int index, String toTask, List<Graph.Node> readers,
        boolean mayBeDead) {
    /** In place of an output's index: that a node has run. */
    static final int CONTROL = -1;
    /** What crosses then. */
    private static final TensorType CONTROL_TYPE = TensorType.of(ElementType.UINT8, 1);
    /** Longest name that both ends accept (DESIGN: limits). */
    static final int NAME_BYTE_SIZE_MAX = 512;

    private record Key(Graph.Node producer, int index, String toTask) {}

    /** All crossing edges of a graph, in the order of their producers; the same on every task. */
    public static List<CrossingEdge> of(Graph graph) {
        Map<Key, CrossingEdge> edges = new LinkedHashMap<>();
        Map<Graph.Node, List<Graph.Node>> waiting = waiting(graph);
        Predicate<Graph.Output> mayBeDead = Branches.mayBeDead(graph);
        for (Graph.Node producer : graph.nodes()) {
            for (int i = 0; i < producer.outputTypes().size(); i++) {
                addReaders(producer, i, graph.readers(producer.output(i)), mayBeDead.test(producer.output(i)), edges);
            }
            addReaders(producer, CONTROL, waiting.getOrDefault(producer, List.of()), false, edges);
        }
        return edges.values().stream()
                .map(edge -> new CrossingEdge(edge.producer, edge.index, edge.toTask, List.copyOf(edge.readers),
                        edge.mayBeDead))
                .toList();
    }

    /** By its control inputs, who waits for a node and reads nothing of it. */
    private static Map<Graph.Node, List<Graph.Node>> waiting(Graph graph) {
        Map<Graph.Node, List<Graph.Node>> waiting = new HashMap<>();
        for (Graph.Node node : graph.nodes()) {
            for (Graph.Node controlInput : node.controlInputs()) {
                if (node.inputs().stream().noneMatch(input -> input.node() == controlInput)) {
                    waiting.computeIfAbsent(controlInput, key -> new ArrayList<>()).add(node);
                }
            }
        }
        return waiting;
    }

    private static void addReaders(Graph.Node producer, int index, Collection<Graph.Node> readers, boolean mayBeDead,
            Map<Key, CrossingEdge> edges) {
        for (Graph.Node reader : readers) {
            if (!reader.task().equals(producer.task())) {
                edges.computeIfAbsent(new Key(producer, index, reader.task()),
                        key -> new CrossingEdge(producer, index, reader.task(), new ArrayList<>(), mayBeDead)
                                .checked()).readers
                        .add(reader);
            }
        }
    }

    /** Whether nothing crosses but that the producer has run. */
    public boolean isControl() {
        return index == CONTROL;
    }

    /** What crosses; throws {@link IllegalStateException} if that is only that the producer has run. */
    public Graph.Output output() {
        if (isControl()) {
            throw new IllegalStateException("edge " + this + " carries no output");
        }
        return producer.output(index);
    }

    /** What crosses, in words. */
    public String subject() {
        return isControl() ? "word that node '" + producer + "' has run" : "tensor '" + output() + "'";
    }

    /** Where it is computed. */
    public String fromTask() {
        return producer.task();
    }

    /** What is known of its tensors before the run. */
    public TensorType type() {
        return isControl() ? CONTROL_TYPE : output().type();
    }

    /** Whether there always is a tensor, and its shape is known before the run, so that its transfer can be placed statically. */
    public boolean isStatic() {
        return type().isStatic() && !mayBeDead;
    }

    /** {@code <node>:<output>-><task>}, or {@code <node>:control-><task>}: what both ends call the edge when they meet. */
    public String name() {
        return producer.name() + ":" + (isControl() ? "control" : index) + "->" + toTask;
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
