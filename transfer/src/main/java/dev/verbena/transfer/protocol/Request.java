package dev.verbena.transfer.protocol;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * A work request with somebody to tell when it is done; made once, posted many times, never twice at once.
 *
 * <p><b>Owner:</b> the protocol that made it. <b>Threading:</b> prepared by one thread, then handed to the poller; all methods
 * here run on the poller's thread.
 */
abstract class Request implements Runnable {
    final WorkRequest workRequest;
    /** Where it goes; set by {@link PolledQueuePair#enqueue}. */
    PolledQueuePair target;
    /** Links requests that wait for room in the send queue. Written by {@link PolledQueuePair} only. */
    Request nextWaiting;

    Request(int elementCountMax) {
        workRequest = new WorkRequest(elementCountMax);
    }

    /** The command that the poller runs. */
    @Override
    public final void run() {
        target.submit(this);
    }

    /**
     * The request is done. It may be prepared and submitted again from here.
     *
     * @param completion null if the fabric did not end it
     * @param failure null on success, otherwise what happened in words
     */
    abstract void onDone(Completion completion, String failure);
}
