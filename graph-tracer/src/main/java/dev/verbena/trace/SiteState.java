package dev.verbena.trace;

/**
 * What a site's allocations get.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public enum SiteState {
    /** Ordinary memory: nothing that was allocated here has been sent. */
    ORDINARY,
    /** Registered memory. */
    REGISTERED,
    /** Ordinary memory, although it is sent: it does not fit into the budget, and is copied. */
    LEFT_OUT
}
