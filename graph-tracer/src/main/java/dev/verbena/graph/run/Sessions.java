package dev.verbena.graph.run;

import java.util.Map;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

/**
 * Creates sessions.
 *
 * <p><b>Owner:</b> none; the sessions are the caller's. <b>Threading:</b> thread-safe, as long as nobody changes the graph.
 */
public final class Sessions {
    private Sessions() {}

    /**
     * All tasks of the graph in this process, without transfers.
     *
     * @throws IllegalArgumentException if nodes that change variables cannot be ordered; the message names them
     */
    public static Session local(Graph graph, SessionOptions options) {
        return LocalSetup.create(graph, options);
    }

    /**
     * One task's part of the graph. Returns when all addresses are distributed, which needs the peers' sessions to be created
     * meanwhile: each task first allocates its receivers, then asks its peers for theirs, so none waits for ever. While a peer still has the
     * session that this one follows, it waits for that one's end, too.
     *
     * <p>Several sessions may be open on a device at a time, under different {@linkplain SessionOptions#name() names}.
     *
     * @param task of this process
     * @param cluster the endpoint of every task that shares an edge with this one
     * @param device where this task's endpoint is; the caller closes it, after the session
     * @throws IllegalArgumentException if the graph has no such task or a task has no endpoint, or a session of that name is open
     *         on the device
     * @throws java.io.UncheckedIOException if the options name a saved trace that cannot be read; the message has the file and the line
     * @throws dev.verbena.memory.OutOfArenaMemoryException if the registered memory that the plan asks for is not to be had
     * @throws dev.verbena.transfer.TransferException if a peer does not answer in time, or has another plan; the message has the fingerprints
     *         of both, which are those of {@link TransferPlan#fingerprint}
     */
    public static Session distributed(Graph graph, String task, Map<String, Endpoint> cluster, RdmaDevice device,
            SessionOptions options) {
        return distributed(graph, task, cluster, device, options, SessionListener.NONE);
    }

    /** The same, and somebody hears what is waited for, now and in each run. */
    public static Session distributed(Graph graph, String task, Map<String, Endpoint> cluster, RdmaDevice device,
            SessionOptions options, SessionListener listener) {
        return new DistributedSetup(graph, task, cluster, device, options, listener).create();
    }
}
