package dev.verbena.cli;

/**
 * What the user gave cannot be used; the message is one sentence that says what, where and what to do. Ends in status 2.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class BadInputException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public BadInputException(String message) {
        super(message);
    }
}
