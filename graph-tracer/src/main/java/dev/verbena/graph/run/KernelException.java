package dev.verbena.graph.run;

/**
 * A kernel failed, otherwise than by a failed transfer, and with it the run; the message names the node, its operation and its task, the cause
 * is the kernel's own.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class KernelException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The cause is what the kernel threw, or passed to its {@code done}. */
    public KernelException(String message, Throwable cause) {
        super(message, cause);
    }
}
