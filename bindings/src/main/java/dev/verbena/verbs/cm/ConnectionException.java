package dev.verbena.verbs.cm;

/**
 * A connection did not come about, or not in time; the message says between whom, why, and what to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ConnectionException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final transient CmEvent event;

    ConnectionException(String message, CmEvent event) {
        super(message);
        this.event = event;
    }

    /**
     * What was reported instead, with the peer's private data where it rejected; null where time ran out, or where the device
     * did not wait to say that nobody listens.
     */
    public CmEvent event() {
        return event;
    }
}
