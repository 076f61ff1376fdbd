package dev.verbena.graph;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * What one task runs of a graph: its nodes, a Send for each output that another task reads, a Recv for each that it reads of
 * another, and the control edges between all of them. A partition belongs to one session.
 */
final class Partition {
    private final Graph graph;
    private final String task;
    private final Map<Node, Node> placedByOriginal = new HashMap<>();
    private final List<SendOperation> sends = new ArrayList<>();
    private final List<ReceiveOperation> receives = new ArrayList<>();
    private List<Placed> placed = List.of();

    private Partition(Graph graph, String task) {
        this.graph = graph;
        this.task = task;
    }

    /** All tasks in one process: the graph as it is, with its control edges. */
    static Partition whole(Graph graph) {
        Partition partition = new Partition(graph, null);
        List<Placing> placings = new ArrayList<>();
        for (Node node : graph.nodes()) {
            partition.placedByOriginal.put(node, node);
            placings.add(new Placing(node, node, null));
        }
        partition.seal(placings);
        return partition;
    }

    /**
     * The part of one task.
     *
     * @throws IllegalArgumentException if the graph has no such task, or its control edges contradict each other on any task
     */
    static Partition of(Graph graph, String task) {
        if (!graph.tasks().contains(task)) {
            throw new IllegalArgumentException(
                    "no node is placed on task=" + task + "; the graph has tasks=" + graph.tasks());
        }
        // Also checked as a whole: what is refused in one process is refused in many.
        ControlEdges.of(graph.nodes());
        Partition partition = new Partition(graph, task);
        partition.cut();
        return partition;
    }

    private record Placing(Node node, Node original, CrossingEdge edge) {}

    private void cut() {
        Map<Output, Output> received = new HashMap<>();
        Map<Node, List<CrossingEdge>> outgoing = new HashMap<>();
        List<Placing> placings = new ArrayList<>();
        for (CrossingEdge edge : CrossingEdge.of(graph)) {
            if (edge.toTask().equals(task)) {
                ReceiveOperation receive = new ReceiveOperation(edge);
                Node node = new Node(edge.receiveName(), task, receive, List.of(), List.of(edge.type()));
                receives.add(receive);
                received.put(edge.output(), node.output());
                placings.add(new Placing(node, null, edge));
            } else if (edge.fromTask().equals(task)) {
                outgoing.computeIfAbsent(edge.output().node(), key -> new ArrayList<>()).add(edge);
            }
        }
        for (Node original : graph.nodes()) {
            if (original.task().equals(task)) {
                Node node = place(original, received);
                placings.add(new Placing(node, original, null));
                outgoing.getOrDefault(original, List.of()).forEach(edge -> placings.add(send(node, edge)));
            }
        }
        seal(placings);
    }

    private Node place(Node original, Map<Output, Output> received) {
        List<Output> inputs = new ArrayList<>();
        for (Output input : original.inputs()) {
            Output local = received.get(input);
            inputs.add(local != null ? local : new Output(placedByOriginal.get(input.node()), input.index()));
        }
        Node node = new Node(original.name(), task, original.operation(), List.copyOf(inputs), original.outputTypes());
        placedByOriginal.put(original, node);
        return node;
    }

    private Placing send(Node producer, CrossingEdge edge) {
        SendOperation send = new SendOperation(edge);
        sends.add(send);
        return new Placing(
                new Node(edge.sendName(), task, send, List.of(producer.output(edge.output().index())), List.of()),
                null, edge);
    }

    private void seal(List<Placing> placings) {
        Map<Node, Placing> byNode = new HashMap<>();
        List<Node> nodes = new ArrayList<>();
        for (Placing placing : placings) {
            byNode.put(placing.node, placing);
            nodes.add(placing.node);
        }
        Map<Node, Set<Node>> before = ControlEdges.of(nodes);
        List<Placed> result = new ArrayList<>();
        for (Node node : ControlEdges.sorted(nodes, before)) {
            Placing placing = byNode.get(node);
            result.add(new Placed(node, placing.original, placing.edge, before.getOrDefault(node, Set.of())));
        }
        placed = List.copyOf(result);
    }

    Graph graph() {
        return graph;
    }

    /** The task that it is of; null if it is of all. */
    String task() {
        return task;
    }

    /** Every node before those that wait for it. */
    List<Placed> placed() {
        return placed;
    }

    /** How a node of the graph runs here; null if it runs elsewhere or came to the graph later. */
    Node placedFor(Node original) {
        return placedByOriginal.get(original);
    }

    List<SendOperation> sends() {
        return Collections.unmodifiableList(sends);
    }

    List<ReceiveOperation> receives() {
        return Collections.unmodifiableList(receives);
    }
}
