package dev.verbena.graph.run.edge;

import dev.verbena.memory.Tensor;

/**
 * The receiving end of a crossing edge.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread.
 */
@FunctionalInterface
public interface IncomingEdge {
    /** The next tensor, lying where it was received until it is closed; null if none has arrived, or the next one is dead. */
    Tensor poll();

    /** Takes the next one if it has arrived, and is dead. */
    default boolean pollDead() {
        return false;
    }

    /** Whether the next one waits for room here. */
    default boolean lacksRoom() {
        return false;
    }
}
