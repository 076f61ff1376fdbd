package dev.verbena.onnxruntime;

/**
 * ONNX Runtime cannot be loaded, or refuses a model or an inference; the message says what, where, and what it says itself.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class PartException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    PartException(String message, Throwable cause) {
        super(message, cause);
    }
}
