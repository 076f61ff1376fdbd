package dev.verbena.graph.plan;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;

import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;

/**
 * What one set of fetches and targets runs on a partition: which nodes, after which others, and how many need each output. Computed
 * once; a session makes of it a frame that runs again and again.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param steps every node after those that it waits for
 * @param fetches what is to be returned
 */
public record RunPlan(List<Step> steps, List<Source> fetches) {
    /**
     * What of a partition has to run for given fetches and targets.
     *
     * @throws IllegalArgumentException if a fetch or target is of another graph, or a fetch of another task
     */
    public static RunPlan of(Partition partition, List<Output> fetches, List<Node> targets) {
        return new RunPlanBuilder(partition).build(fetches, targets);
    }

    /** Crossing edges that it sends or receives along. */
    public List<CrossingEdge> edges() {
        List<CrossingEdge> edges = new ArrayList<>();
        for (Step step : steps) {
            switch (step.node().operation()) {
                case Send send -> edges.add(send.edge());
                case Receive receive -> edges.add(receive.edge());
                default -> {
                    // Runs here only.
                }
            }
        }
        return edges;
    }

    /** Sixteen hexadecimal digits of the edges that it needs between its task and another one; those of the other's plan, if that needs the same. */
    public String fingerprint(String peer) {
        return Fingerprint.of(edges().stream()
                .filter(edge -> edge.fromTask().equals(peer) || edge.toTask().equals(peer))
                .map(CrossingEdge::name).sorted());
    }

    /**
     * A node that runs.
     *
     * <p><b>Owner:</b> the plan. <b>Threading:</b> immutable.
     *
     * @param node of the partition
     * @param inputs where they come from
     * @param outputs who needs each of them
     * @param settledInputs by index those of which who changes them does not wait for this step, other than by being a successor
     * @param predecessorCount how many steps it waits for
     * @param successors the steps that wait for it
     */
    public record Step(Graph.Node node, List<Source> inputs, Set<Integer> settledInputs, List<Holds> outputs,
            int predecessorCount, List<Integer> successors) {}

    /**
     * An output of a step.
     *
     * <p><b>Owner:</b> the plan. <b>Threading:</b> immutable.
     *
     * @param step in the plan's order, from 0
     * @param output of its node, from 0
     */
    public record Source(int step, int output) {}

    /**
     * Who needs an output, and so holds its storage from when it is there.
     *
     * <p><b>Owner:</b> the plan. <b>Threading:</b> immutable.
     *
     * @param readers inputs within the plan that read it
     * @param settled those of them that change its storage in place, or read it behind a change
     * @param fetches how often it is fetched
     */
    public record Holds(int readers, int settled, int fetches) {}
}
