package dev.verbena.graph.plan;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * What one task runs of a graph: its nodes, a Send for each output that another task reads, a Recv for each that it reads of
 * another, and the control edges between all of them.
 *
 * <p><b>Owner:</b> whoever made it. <b>Threading:</b> immutable, as long as nobody changes the graph.
 */
public final class Partition {
    private final Graph graph;
    private final String task;
    private final Map<Node, Node> placedByOriginal = new HashMap<>();
    private final List<CrossingEdge> sends = new ArrayList<>();
    private final List<CrossingEdge> receives = new ArrayList<>();
    private List<Placed> placed = List.of();

    private Partition(Graph graph, String task) {
        this.graph = graph;
        this.task = task;
    }

    /** All tasks in one process: the graph as it is, with its control edges. */
    public static Partition whole(Graph graph) {
        Partition partition = new Partition(graph, null);
        ControlEdges edges = ControlEdges.of(graph.nodes());
        List<Placing> placings = new ArrayList<>();
        for (Node node : graph.nodes()) {
            partition.placedByOriginal.put(node, node);
            placings.add(new Placing(node, node, null));
        }
        partition.seal(placings, edges);
        return partition;
    }

    /**
     * The part of one task.
     *
     * @throws IllegalArgumentException if the graph has no such task, or its control edges contradict each other on any task
     */
    public static Partition of(Graph graph, String task) {
        checkTask(graph, task);
        // First as a whole: what is refused in one process is refused in many, and what is in order by way of other tasks is known there only.
        ControlEdges whole = ControlEdges.of(graph.nodes());
        Partition partition = new Partition(graph, task);
        partition.cut(whole);
        return partition;
    }

    static void checkTask(Graph graph, String task) {
        if (!graph.tasks().contains(task)) {
            throw new IllegalArgumentException(
                    "no node is placed on task=" + task + "; the graph has tasks=" + graph.tasks());
        }
    }

    private record Placing(Node node, Node original, CrossingEdge edge) {}

    private void cut(ControlEdges whole) {
        Map<Output, Output> received = new HashMap<>();
        Map<Node, List<Node>> arrivals = new HashMap<>();
        Map<Node, List<CrossingEdge>> outgoing = new HashMap<>();
        List<Placing> placings = new ArrayList<>();
        for (CrossingEdge edge : CrossingEdge.of(graph)) {
            if (edge.toTask().equals(task)) {
                Node node = new Node(edge.receiveName(), task, new Receive(edge), List.of(), List.of(),
                        List.of(edge.type()));
                receives.add(edge);
                arrivals.computeIfAbsent(edge.producer(), key -> new ArrayList<>()).add(node);
                if (!edge.isControl()) {
                    received.put(edge.output(), node.output());
                }
                placings.add(new Placing(node, null, edge));
            } else if (edge.fromTask().equals(task)) {
                outgoing.computeIfAbsent(edge.producer(), key -> new ArrayList<>()).add(edge);
            }
        }
        for (Node original : graph.nodes()) {
            if (original.task().equals(task)) {
                Node node = place(original, received, arrivals);
                placings.add(new Placing(node, original, null));
                outgoing.getOrDefault(original, List.of()).forEach(edge -> placings.add(send(node, edge)));
            }
        }
        List<Node> nodes = placings.stream().map(Placing::node).toList();
        seal(placings, whole.within(nodes, placedByOriginal));
    }

    /** @param arrivals of other tasks' nodes; whichever of them is there in a run says that the node has run */
    private Node place(Node original, Map<Output, Output> received, Map<Node, List<Node>> arrivals) {
        List<Output> inputs = new ArrayList<>();
        for (Output input : original.inputs()) {
            Output local = received.get(input);
            inputs.add(local != null ? local : new Output(placedByOriginal.get(input.node()), input.index()));
        }
        List<Node> controlInputs = new ArrayList<>();
        for (Node controlInput : original.controlInputs()) {
            Node local = placedByOriginal.get(controlInput);
            controlInputs.addAll(local != null ? List.of(local) : arrivals.get(controlInput));
        }
        Node node = new Node(original.name(), task, original.operation(), List.copyOf(inputs),
                List.copyOf(controlInputs), original.outputTypes());
        placedByOriginal.put(original, node);
        return node;
    }

    private Placing send(Node producer, CrossingEdge edge) {
        sends.add(edge);
        Node node = edge.isControl()
                ? new Node(edge.sendName(), task, new Send(edge), List.of(), List.of(producer), List.of())
                : new Node(edge.sendName(), task, new Send(edge), List.of(producer.output(edge.index())), List.of(),
                        List.of());
        return new Placing(node, null, edge);
    }

    private void seal(List<Placing> placings, ControlEdges edges) {
        Map<Node, Placing> byNode = new HashMap<>();
        placings.forEach(placing -> byNode.put(placing.node, placing));
        List<Placed> result = new ArrayList<>();
        for (Node node : edges.sorted()) {
            Placing placing = byNode.get(node);
            result.add(new Placed(node, placing.original, placing.edge, edges.after(node), edges.settledInputs(node)));
        }
        placed = List.copyOf(result);
    }

    /** The whole graph that it was made of, nodes of other tasks included; not a copy. */
    public Graph graph() {
        return graph;
    }

    /** The task that it is of; null if it is of all. */
    public String task() {
        return task;
    }

    /** Every node before those that wait for it. */
    public List<Placed> placed() {
        return placed;
    }

    /** How a node of the graph runs here; null if it runs elsewhere or came to the graph later. */
    public Node placedFor(Node original) {
        return placedByOriginal.get(original);
    }

    /** The edges that it sends along. */
    public List<CrossingEdge> sends() {
        return Collections.unmodifiableList(sends);
    }

    /** The edges that it receives along. */
    public List<CrossingEdge> receives() {
        return Collections.unmodifiableList(receives);
    }
}
