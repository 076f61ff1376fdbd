package dev.verbena.training;

/**
 * Training cannot begin, or cannot go on, and no defect of the program is why: the loss is no longer a number, or OpenBLAS cannot be loaded.
 * The message is one line, and says what to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class TrainingException extends IllegalStateException {
    private static final long serialVersionUID = 1L;

    public TrainingException(String message) {
        super(message);
    }

    public TrainingException(String message, Throwable cause) {
        super(message, cause);
    }
}
