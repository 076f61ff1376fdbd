package dev.verbena.transfer;

/**
 * A transfer or a connection failed; the message names the peer, what was tried, and what to do where that is known.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The message is to name the peer, what was tried and, where that is known, what to do. */
    public TransferException(String message) {
        super(message);
    }

    /** The same, with the exception that led to it; null if there is none. */
    public TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
