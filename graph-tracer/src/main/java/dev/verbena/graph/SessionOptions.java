package dev.verbena.graph;

import java.time.Duration;

/**
 * How a session runs.
 *
 * @param tracing whether allocation sites of sent tensors are learned in the first iteration; without, every send copies
 *        (the paper's RDMA.cp)
 * @param depth slots per crossing edge, at least 1
 * @param timeout the longest wait for a peer, at set-up and within a run
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record SessionOptions(boolean tracing, int depth, Duration timeout) {
    private static final Duration TIMEOUT_MAX = Duration.ofDays(365);

    public SessionOptions {
        if (depth < 1) {
            throw new IllegalArgumentException("depth=" + depth + "; give at least 1");
        }
        if (timeout.isNegative() || timeout.isZero() || timeout.compareTo(TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("timeout=" + timeout + "; give more than 0 and at most " + TIMEOUT_MAX);
        }
    }

    /** Tracing, depth 1, 60 seconds. */
    public static SessionOptions defaults() {
        return new SessionOptions(true, 1, Duration.ofSeconds(60));
    }
}
