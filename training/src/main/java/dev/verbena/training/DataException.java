package dev.verbena.training;

/**
 * Training data is missing or malformed; the message says which file, what is wrong with it, and what was expected.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class DataException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public DataException(String message) {
        super(message);
    }
}
