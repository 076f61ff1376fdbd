package dev.verbena.training;

/**
 * A checkpoint cannot be written, or what was read is none, is damaged, or does not fit; the message says which file, what is wrong with
 * it and where, and what to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class CheckpointException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public CheckpointException(String message) {
        super(message);
    }

    public CheckpointException(String message, Throwable cause) {
        super(message, cause);
    }
}
