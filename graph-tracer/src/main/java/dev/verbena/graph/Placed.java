package dev.verbena.graph;

import java.util.Set;

/**
 * A node of a partition.
 *
 * @param node as it runs: its inputs are outputs of nodes of the same partition
 * @param original the node of the whole graph that it stands for; null for a Send or a Recv
 * @param edge the edge that a Send or a Recv carries; null for all others
 * @param after nodes of the partition that run before it without feeding it
 */
record Placed(Graph.Node node, Graph.Node original, CrossingEdge edge, Set<Graph.Node> after) {}
