package dev.verbena.graph.plan;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.plan.RunPlan.Holds;
import dev.verbena.graph.plan.RunPlan.Source;
import dev.verbena.graph.plan.RunPlan.Step;

/**
 * Finds what a partition has to run for given fetches and targets.
 *
 * <p>What is needed are the ancestors of fetches and targets in the whole graph, control inputs among them; a task runs those that are placed
 * on it, and the Sends and Recvs of edges between two needed nodes. That a node has run crosses on its own only where no output of it does. So tasks that are given the same targets agree on what crosses without
 * talking about it.
 */
final class RunPlanBuilder {
    private final Partition partition;
    private final List<Placed> chosen = new ArrayList<>();
    private final Map<Node, Integer> indices = new HashMap<>();
    private final List<List<Integer>> successors = new ArrayList<>();
    private final Map<Source, Holds> holds = new HashMap<>();
    /** Between which nodes and tasks outputs cross. */
    private final Set<Link> links = new HashSet<>();

    private record Link(Node producer, String toTask) {
        static Link of(CrossingEdge edge) {
            return new Link(edge.producer(), edge.toTask());
        }
    }

    RunPlanBuilder(Partition partition) {
        this.partition = partition;
    }

    RunPlan build(List<Output> fetches, List<Node> targets) {
        fetches.forEach(this::checkFetch);
        targets.forEach(target -> checkInGraph("target", target));
        Set<Node> needed = ancestors(fetches, targets);
        partition.placed().stream().map(Placed::edge)
                .filter(edge -> edge != null && !edge.isControl() && isNeeded(edge, needed))
                .forEach(edge -> links.add(Link.of(edge)));
        List<Integer> predecessorCounts = new ArrayList<>();
        for (Placed placed : partition.placed()) {
            if (isNeeded(placed, needed)) {
                predecessorCounts.add(choose(placed));
            }
        }
        List<Source> fetched = new ArrayList<>();
        for (Output fetch : fetches) {
            Source source = source(new Output(partition.placedFor(fetch.node()), fetch.index()));
            hold(source, new Holds(0, 0, 1));
            fetched.add(source);
        }
        List<Step> steps = new ArrayList<>();
        for (int i = 0; i < chosen.size(); i++) {
            steps.add(step(i, predecessorCounts.get(i)));
        }
        return new RunPlan(List.copyOf(steps), List.copyOf(fetched));
    }

    private void checkFetch(Output fetch) {
        checkInGraph("fetch", fetch.node());
        if (partition.placedFor(fetch.node()) == null) {
            throw new IllegalArgumentException("fetch " + fetch + " is placed on task=" + fetch.node().task()
                    + " but this session runs task=" + partition.task() + "; fetch it there");
        }
    }

    private void checkInGraph(String what, Node node) {
        if (partition.graph().find(node.name()).orElse(null) != node) {
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
                node.controlInputs().forEach(open::push);
            }
        }
        return needed;
    }

    private boolean isNeeded(Placed placed, Set<Node> needed) {
        CrossingEdge edge = placed.edge();
        if (edge == null) {
            return needed.contains(placed.original());
        }
        return isNeeded(edge, needed) && !(edge.isControl() && links.contains(Link.of(edge)));
    }

    private static boolean isNeeded(CrossingEdge edge, Set<Node> needed) {
        return needed.contains(edge.producer()) && edge.readers().stream().anyMatch(needed::contains);
    }

    /** @return how many it waits for */
    private int choose(Placed placed) {
        Node node = placed.node();
        Set<Integer> before = new TreeSet<>();
        for (int i = 0; i < node.inputs().size(); i++) {
            Source source = source(node.inputs().get(i));
            hold(source, new Holds(1, placed.settledInputs().contains(i) ? 1 : 0, 0));
            before.add(source.step());
        }
        for (Node other : placed.after()) {
            if (indices.containsKey(other)) {
                before.add(indices.get(other));
            }
        }
        int index = chosen.size();
        indices.put(node, index);
        chosen.add(placed);
        successors.add(new ArrayList<>());
        before.forEach(other -> successors.get(other).add(index));
        return before.size();
    }

    private Source source(Output output) {
        return new Source(indices.get(output.node()), output.index());
    }

    private void hold(Source source, Holds more) {
        holds.merge(source, more, (one, other) -> new Holds(one.readers() + other.readers(),
                one.settled() + other.settled(), one.fetches() + other.fetches()));
    }

    private Step step(int index, int predecessorCount) {
        Node node = chosen.get(index).node();
        List<Holds> outputs = new ArrayList<>();
        for (int i = 0; i < node.outputTypes().size(); i++) {
            outputs.add(holds.getOrDefault(new Source(index, i), new Holds(0, 0, 0)));
        }
        return new Step(node, node.inputs().stream().map(this::source).toList(),
                chosen.get(index).settledInputs(), Collections.unmodifiableList(outputs), predecessorCount,
                List.copyOf(successors.get(index)));
    }
}
