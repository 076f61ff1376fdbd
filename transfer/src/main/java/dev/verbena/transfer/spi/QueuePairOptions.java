package dev.verbena.transfer.spi;

/**
 * How one queue pair is made.
 *
 * @param completionQueue where it reports
 * @param sendDepth requests that may be outstanding; a power of two
 * @param receiveDepth receives that may be posted; a power of two
 * @param receiverNotReadyTimeoutNs how long a request waits for the peer to post a receive before it fails
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record QueuePairOptions(CompletionQueue completionQueue, int sendDepth, int receiveDepth,
        long receiverNotReadyTimeoutNs) {}
