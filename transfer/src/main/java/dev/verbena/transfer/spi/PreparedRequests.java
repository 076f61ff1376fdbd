package dev.verbena.transfer.spi;

/**
 * A list of requests in the form that the device takes, made once by {@link QueuePair#prepare} and posted many times: what is the same
 * at each post, as the writes of a training step are, is written once. NIXL has the like for transfers between lists of blocks.
 *
 * <p>What the requests said is copied. The memory they name is not: each post sends what it holds then, until the completion.
 *
 * <p><b>Owner:</b> none, garbage collection frees it. <b>Threading:</b> confined to the poller of the queue pair that prepared it.
 */
public interface PreparedRequests {
    /** How many requests, 1 or more. */
    int count();
}
