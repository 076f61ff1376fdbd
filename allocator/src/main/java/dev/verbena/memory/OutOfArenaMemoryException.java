package dev.verbena.memory;

/**
 * There is no memory for a request. The message says what was asked, what is free, what the largest run is and what the
 * budget, or what the system refused.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class OutOfArenaMemoryException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Where no other error is behind it, such as for a request beyond a budget. */
    public OutOfArenaMemoryException(String message) {
        super(message);
    }

    /** With what the {@link SlabSource} said, or null. */
    public OutOfArenaMemoryException(String message, Throwable cause) {
        super(message, cause);
    }
}
