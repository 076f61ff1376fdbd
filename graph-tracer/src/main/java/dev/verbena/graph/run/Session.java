package dev.verbena.graph.run;

import java.util.List;
import java.util.Map;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.Send;
import dev.verbena.memory.Tensor;

/**
 * Runs one task's part of a graph, or all of it in one process, again and again.
 *
 * <p><b>Owner:</b> whoever created it, and closes it. <b>Threading:</b> confined to one thread, which is also the one that its
 * synchronous kernels run on.
 */
public interface Session extends AutoCloseable {
    /**
     * Runs once everything on this task that fetches and targets need; when it returns nothing is under way any more.
     *
     * <p>What is needed are the ancestors of fetches and targets in the whole graph, so every task of a cluster must be given
     * the same targets in the same order, and what one task fetches must be among the ancestors of what the others are given.
     *
     * <p>After a failure the session is of no further use except to be closed: the tasks are no longer in step. Peers learn of
     * it when this process tells them ({@link dev.verbena.transfer.RdmaDevice#abort}) or ends.
     *
     * @param feeds tensors for {@link Feed} nodes by node name; the caller keeps them and does not change them meanwhile
     * @param fetches outputs of this task's nodes to return; the caller closes them before the session. A fetched tensor may be
     *        a received one, whose slot is free only when it is closed. Of a feed, or a variable, it is a copy, made when all has run; of a
     *        variable under another name ({@link dev.verbena.graph.Identity}) as it was when that node was done. Null stands for one that is
     *        dead in this run, since its branch was not taken ({@link dev.verbena.graph.Switch})
     * @param targets further nodes to run; a node of another task stands for this task's share in it (its Send nodes towards it)
     * @throws IllegalArgumentException if feeds, fetches or targets do not fit the graph; nothing has run then
     * @throws KernelException if a kernel fails; the message names the node
     * @throws dev.verbena.transfer.TransferException if a peer that is needed is lost, or has closed its session, or runs other
     *         targets, so that it needs other tensors of this task, or nothing moves for as long as the session's timeout;
     *         the message names the peer, and what the run waited for
     */
    List<Tensor> run(Map<String, Tensor> feeds, List<Graph.Output> fetches, List<Graph.Node> targets);

    /** What it has done so far. */
    SessionStatistics statistics();

    /** Where the time of the latest run went that came to its end. */
    RunTimes latestTimes();

    /**
     * Frees the variables and all memory.
     *
     * @throws IllegalStateException while fetched tensors are open; nothing is closed then, and it may be tried again
     */
    @Override
    void close();
}
