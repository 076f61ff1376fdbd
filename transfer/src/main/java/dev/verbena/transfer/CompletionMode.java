package dev.verbena.transfer;

/**
 * What an idle poller of an RDMA fabric does until the next completion.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum CompletionMode {
    /** Looks again and again, ever more rarely: the quickest, at the cost of processor time. */
    POLLING,
    /** Sleeps on a completion channel until the device raises an event: an idle process costs nothing. */
    EVENTS
}
