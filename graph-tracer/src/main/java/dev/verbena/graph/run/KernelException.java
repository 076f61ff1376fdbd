package dev.verbena.graph.run;

/**
 * A kernel failed, and with it the run; the message names the node, its operation and its task, the cause is the kernel's own.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class KernelException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public KernelException(String message, Throwable cause) {
        super(message, cause);
    }
}
