package dev.verbena.transfer;

/**
 * A transfer or a connection failed; the message names the peer, what was tried, and what to do where that is known.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public class TransferException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public TransferException(String message) {
        super(message);
    }

    public TransferException(String message, Throwable cause) {
        super(message, cause);
    }
}
