package dev.verbena.testing.trace;

/**
 * A text is no trace. The message has the file, the line, what is wrong there and what to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class TraceFormatException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    TraceFormatException(String file, int line, String message) {
        super(file + ":" + line + ": " + message);
    }
}
