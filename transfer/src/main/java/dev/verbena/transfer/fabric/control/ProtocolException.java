package dev.verbena.transfer.fabric.control;

/**
 * What came over a control socket is not what a peer says, or the peer cannot be connected to; the message says why.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ProtocolException extends Exception {
    private static final long serialVersionUID = 1L;

    public ProtocolException(String message) {
        super(message);
    }

    public ProtocolException(String message, Throwable cause) {
        super(message, cause);
    }
}
