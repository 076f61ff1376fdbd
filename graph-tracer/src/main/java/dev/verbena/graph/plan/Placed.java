package dev.verbena.graph.plan;

import java.util.Set;

import dev.verbena.graph.Graph;

/**
 * A node of a partition.
 *
 * <p><b>Owner:</b> the partition. <b>Threading:</b> immutable.
 *
 * @param node as it runs: its inputs are outputs of nodes of the same partition
 * @param original the node of the whole graph that it stands for; null for a Send or a Recv
 * @param edge the edge that a Send or a Recv carries; null for all others
 * @param after nodes of the partition that run before it without feeding it: control inputs, and readers of what it changes
 * @param settledInputs by index those that it changes in place, or reads when others have changed them: who changes them does not wait for it in
 *        the run, since the plan has put both in order
 */
public record Placed(Graph.Node node, Graph.Node original, CrossingEdge edge, Set<Graph.Node> after,
        Set<Integer> settledInputs) {}
