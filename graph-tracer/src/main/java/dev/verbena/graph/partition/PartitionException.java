package dev.verbena.graph.partition;

/**
 * That a model cannot be divided as it was asked; the message names the nodes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class PartitionException extends RuntimeException {
    private static final long serialVersionUID = 1;

    PartitionException(String message) {
        super(message);
    }
}
