package dev.verbena.cli;

/**
 * A run that started well ended badly, and the user has been or is told by the message why. Ends in status 1.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class FailedRunException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** @param message null if nothing is left to be said */
    public FailedRunException(String message) {
        super(message);
    }
}
