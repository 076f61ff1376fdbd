package dev.verbena.graph.run.edge;

import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;

/**
 * The sending end of a crossing edge.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> confined to the session's thread, but that {@link #place} is called by the kernel that computes the
 * tensor, on its thread, before the session's sends it; callbacks come on any.
 */
public interface OutgoingEdge {
    /** Whether the tensor lies in registered memory, so that it can be offered as it is. */
    boolean isRegistered(Tensor tensor);

    /** Whether each tensor is copied to be sent, wherever it lies. */
    default boolean copiesEach() {
        return false;
    }

    /** Whether the receiver reads tensors where they lie here, so that they have left only when it has done so. */
    default boolean lends() {
        return false;
    }

    /**
     * The next tensor to offer, to be computed where the receiver has it, so that offering it moves nothing: destination placement.
     *
     * @return null where the fabric does not map the receiver's memory, or that is not free at present
     */
    Tensor place();

    SendResult offer(Tensor tensor, SendCallback callback);

    /** In place of a tensor: there is none in this run, since the branch that it is of is not taken. */
    SendResult offerDead(SendCallback callback);

    /** As {@link #offer}, of what was copied into registered memory to be sent; counted as a copy when it has left. */
    SendResult offerCopied(Tensor copy, SendCallback callback);
}
