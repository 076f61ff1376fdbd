package dev.verbena.graph;

import java.util.List;
import java.util.Map;

import dev.verbena.memory.Tensor;

/** Interim signature. Runs one task's part of a graph, again and again. Confined to one thread. */
public interface Session extends AutoCloseable {
    /**
     * Runs everything on this task that the targets need.
     *
     * @param feeds tensors for {@link Feed} nodes by node name; the caller keeps them
     * @param fetches outputs of this task's nodes to return; the caller closes them
     * @param targets further nodes to run; a node of another task stands for this task's share in it (its Send nodes towards it)
     */
    List<Tensor> run(Map<String, Tensor> feeds, List<Graph.Output> fetches, List<Graph.Node> targets);

    SessionStatistics statistics();

    @Override
    void close();
}
