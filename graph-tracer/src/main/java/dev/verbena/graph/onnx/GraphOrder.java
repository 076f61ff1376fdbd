package dev.verbena.graph.onnx;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.PriorityQueue;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The nodes of a graph, each behind those whose outputs it needs; and that there is such an order at all.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> immutable.
 */
final class GraphOrder {
    private static final int SHOWN_MAX = 8;

    private final OnnxGraph graph;
    private final List<OnnxNode> nodes;
    /** Indices of nodes by the names of their outputs. */
    private final Map<String, Integer> producers = new HashMap<>();
    private final List<OnnxNode> order = new ArrayList<>();

    /** @throws OnnxException if a tensor has two origins or none, or nodes wait for each other in a circle */
    GraphOrder(OnnxGraph graph) {
        this(graph, Set.of());
    }

    /** @param around names of tensors of the graphs around it */
    GraphOrder(OnnxGraph graph, Set<String> around) {
        this.graph = graph;
        nodes = graph.nodes();
        Set<String> given = given();
        findProducers(given);
        given.addAll(around);
        for (OnnxNode node : nodes) {
            node.needs().forEach(input -> checkOrigin(input, given, node.label()));
        }
        graph.outputs().forEach(output -> checkOrigin(output.name(), given, "the graph's outputs"));
        sort();
    }

    private Set<String> given() {
        Set<String> given = new HashSet<>();
        for (ValueInfo input : graph.inputs()) {
            if (!given.add(input.name())) {
                throw new OnnxException("graph '" + graph.name() + "'", "two inputs are called '" + input.name() + "'");
            }
        }
        given.addAll(graph.initializers().keySet());
        return given;
    }

    private void findProducers(Set<String> given) {
        for (int i = 0; i < nodes.size(); i++) {
            OnnxNode node = nodes.get(i);
            for (String output : node.outputs()) {
                Integer other = output.isEmpty() ? null : producers.put(output, i);
                if (other != null || given.contains(output)) {
                    throw new OnnxException(node.label(), "its output '" + output + "' is made by "
                            + (other != null ? nodes.get(other).label() : "the graph's inputs or initializers")
                            + " too");
                }
            }
        }
    }

    private void checkOrigin(String name, Set<String> given, String user) {
        if (!producers.containsKey(name) && !given.contains(name)) {
            throw new OnnxException(user, "'" + name + "' is made by no node, and is no input and no initializer");
        }
    }

    private int[] needed(int index) {
        return nodes.get(index).needs().stream().filter(producers::containsKey).mapToInt(producers::get).distinct()
                .toArray();
    }

    /** In the model's own order, where that is one. */
    private void sort() {
        int[] waiting = new int[nodes.size()];
        Map<Integer, List<Integer>> users = new HashMap<>();
        PriorityQueue<Integer> ready = new PriorityQueue<>();
        for (int i = 0; i < waiting.length; i++) {
            int user = i;
            int[] needed = needed(i);
            waiting[i] = needed.length;
            IntStream.of(needed).forEach(each -> users.computeIfAbsent(each, none -> new ArrayList<>()).add(user));
            if (needed.length == 0) {
                ready.add(i);
            }
        }
        while (!ready.isEmpty()) {
            int next = ready.remove();
            order.add(nodes.get(next));
            for (int user : users.getOrDefault(next, List.of())) {
                waiting[user]--;
                if (waiting[user] == 0) {
                    ready.add(user);
                }
            }
        }
        if (order.size() < nodes.size()) {
            throw new OnnxException("graph '" + graph.name() + "'", "nodes wait for each other: " + circle(waiting));
        }
    }

    /** Backwards from one that waits, until one comes again. */
    private String circle(int[] waiting) {
        List<Integer> seen = new ArrayList<>();
        Set<Integer> isSeen = new HashSet<>();
        int index = IntStream.range(0, waiting.length).filter(each -> waiting[each] > 0).findFirst().orElseThrow();
        while (isSeen.add(index)) {
            seen.add(index);
            index = IntStream.of(needed(index)).filter(each -> waiting[each] > 0).findFirst().orElseThrow();
        }
        List<Integer> circle = seen.subList(seen.indexOf(index), seen.size()).reversed();
        return circle.stream().limit(SHOWN_MAX).map(each -> nodes.get(each).label())
                .collect(Collectors.joining(" -> "))
                + (circle.size() > SHOWN_MAX ? " -> " + (circle.size() - SHOWN_MAX) + " more" : "") + " -> "
                + nodes.get(circle.getFirst()).label();
    }

    List<OnnxNode> order() {
        return order;
    }

    /** The node that makes a tensor; empty if none does. */
    Optional<OnnxNode> producer(String name) {
        return Optional.ofNullable(producers.get(name)).map(nodes::get);
    }
}
