package dev.verbena.memory;

/**
 * There is no memory for a request. The message says what was asked, what is free and what the largest run is, or what the
 * system refused.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class OutOfArenaMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public OutOfArenaMemoryException(String message) {
        super(message);
    }
}
