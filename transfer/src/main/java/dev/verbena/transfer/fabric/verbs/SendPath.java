package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.WorkRequest;

/**
 * How the requests of a queue pair become the device's. An abstract class: a process has one kind of device, and the calls are then
 * direct.
 *
 * <p>Threading: confined to the queue pair's poller.
 */
abstract class SendPath {
    /** Requests that can be written before they must be handed over. */
    abstract int capacity();

    /**
     * Writes the i-th request of those to be handed over next; they come in order.
     *
     * @param byteSize of all its elements
     * @param isReported whether the device is to report that it and all before it are over
     */
    abstract void write(int i, WorkRequest request, long number, long byteSize, boolean isReported);

    /**
     * Hands over what was written.
     *
     * @return how many of it were taken; fewer means that the device's queue is full
     */
    abstract int hand(int count);

    /** Has the device report that of that number, the last one handed over, though it was written otherwise. */
    abstract boolean report(long number);

    /**
     * Takes note of what the device reports as done.
     *
     * @return whether that is this path's own affair
     */
    boolean takes(long workRequestId) {
        return false;
    }

    /** Whether the device tells of each request how it ended, and waits by itself for the peer's receives. */
    abstract boolean isTold();

    /** Of the first request that this path has not given to the device, for want of a receive there; the next to be written if none. */
    abstract long nextToDevice();

    /** The request that waits for a receive of which it is known that the peer has not posted it; -1 if none. */
    long awaitingReceive() {
        return -1;
    }

    /** Whether any request waits for the peer to post a receive. */
    boolean isAwaitingReceive() {
        return false;
    }

    /** How long the device may be left unpolled, as {@link dev.verbena.transfer.spi.CompletionQueue#idleNsMax}. */
    long idleNsMax() {
        return Long.MAX_VALUE;
    }

    /** Asks the peer again whether it has posted a receive, if one is awaited. */
    void askAgain(long nowNs) {}

    /** Which message of this queue pair the request was, counted from 0. */
    int messageNumber(long number) {
        return 0;
    }

    /** Where the peer says how many receives it has posted. */
    void meet(CreditAddress peer) {}

    /** Where this side says so. */
    CreditAddress address() {
        return CreditAddress.NONE;
    }

    /** Before anything is posted, on the side that connects. */
    void begin() {}

    /** The queue pair has failed: the device is given nothing more. */
    void stop() {}

    /** Once the queue pair is destroyed. */
    void close() {}
}
