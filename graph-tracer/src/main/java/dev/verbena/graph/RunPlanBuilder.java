package dev.verbena.graph;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * Finds what a partition has to run for given fetches and targets.
 *
 * <p>What is needed are the ancestors of fetches and targets in the whole graph; a task runs those that are placed on it, and the
 * Sends and Recvs of edges between two needed nodes. So tasks that are given the same targets agree on what crosses without
 * talking about it.
 */
final class RunPlanBuilder {
    private final Partition partition;
    private final RunServices services;
    private final Map<Node, NodeRun> runs = new LinkedHashMap<>();
    private final Map<NodeRun, Set<NodeRun>> predecessors = new LinkedHashMap<>();

    private RunPlanBuilder(Partition partition, RunServices services) {
        this.partition = partition;
        this.services = services;
    }

    /** @throws IllegalArgumentException if a fetch or target is of another graph, or a fetch of another task */
    static RunPlan build(Partition partition, RunServices services, List<Output> fetches, List<Node> targets) {
        return new RunPlanBuilder(partition, services).build(fetches, targets);
    }

    private RunPlan build(List<Output> fetches, List<Node> targets) {
        fetches.forEach(this::checkFetch);
        targets.forEach(target -> checkInGraph("target", target));
        Set<Node> needed = ancestors(fetches, targets);
        for (Placed placed : partition.placed()) {
            if (isNeeded(placed, needed)) {
                add(placed);
            }
        }
        link();
        List<Value> fetched = new ArrayList<>();
        for (Output fetch : fetches) {
            Value value = runs.get(partition.placedFor(fetch.node())).output(fetch.index());
            value.fetches++;
            fetched.add(value);
        }
        return new RunPlan(List.copyOf(runs.values()), fetched);
    }

    private void checkFetch(Output fetch) {
        checkInGraph("fetch", fetch.node());
        if (partition.placedFor(fetch.node()) == null) {
            throw new IllegalArgumentException("fetch " + fetch + " is placed on task=" + fetch.node().task()
                    + " but this session runs task=" + partition.task() + "; fetch it there");
        }
    }

    private void checkInGraph(String what, Node node) {
        if (partition.graph().find(node.name()) != node) {
            throw new IllegalArgumentException(what + " '" + node + "' is not of the session's graph");
        }
        boolean isHere = partition.task() == null || node.task().equals(partition.task());
        if (isHere && partition.placedFor(node) == null) {
            throw new IllegalArgumentException(
                    what + " '" + node + "' was added to the graph after the session was created");
        }
    }

    private static Set<Node> ancestors(List<Output> fetches, List<Node> targets) {
        Set<Node> needed = new HashSet<>();
        Deque<Node> open = new ArrayDeque<>(targets);
        fetches.forEach(fetch -> open.add(fetch.node()));
        while (!open.isEmpty()) {
            Node node = open.pop();
            if (needed.add(node)) {
                node.inputs().forEach(input -> open.push(input.node()));
            }
        }
        return needed;
    }

    private static boolean isNeeded(Placed placed, Set<Node> needed) {
        if (placed.edge() == null) {
            return needed.contains(placed.original());
        }
        return needed.contains(placed.edge().output().node())
                && placed.edge().readers().stream().anyMatch(needed::contains);
    }

    private void add(Placed placed) {
        Node node = placed.node();
        Set<NodeRun> before = new LinkedHashSet<>();
        Value[] inputs = new Value[node.inputs().size()];
        for (int i = 0; i < inputs.length; i++) {
            Output input = node.inputs().get(i);
            NodeRun producer = runs.get(input.node());
            inputs[i] = producer.output(input.index());
            inputs[i].readers++;
            inputs[i].changers += i == node.operation().mutatedInput() ? 1 : 0;
            before.add(producer);
        }
        for (Node other : placed.after()) {
            if (runs.containsKey(other)) {
                before.add(runs.get(other));
            }
        }
        NodeRun run = new NodeRun(node, inputs, services);
        runs.put(node, run);
        predecessors.put(run, before);
    }

    private void link() {
        Map<NodeRun, Set<NodeRun>> successors = new LinkedHashMap<>();
        predecessors.forEach((run, before) -> before
                .forEach(other -> successors.computeIfAbsent(other, key -> new LinkedHashSet<>()).add(run)));
        predecessors.forEach((run, before) -> run.link(successors.getOrDefault(run, Set.of()), before.size()));
    }
}
