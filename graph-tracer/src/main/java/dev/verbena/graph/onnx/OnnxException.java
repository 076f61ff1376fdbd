package dev.verbena.graph.onnx;

/**
 * A model that is malformed or contradicts itself; the message names the place.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class OnnxException extends RuntimeException {
    private static final long serialVersionUID = 1;

    private final transient String place;

    /** @param place where in the model, or in its file */
    public OnnxException(String place, String message) {
        this(place, message, null);
    }

    /** {@code cause} may be null. */
    public OnnxException(String place, String message, Throwable cause) {
        super(place + ": " + message, cause);
        this.place = place;
    }

    /** Where in the model, or in its file. */
    public String place() {
        return place;
    }
}
