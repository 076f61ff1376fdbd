package dev.verbena.graph.run.edge;

import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.memory.Tensor;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;

/**
 * A sending end whose tensors the carrier copies: none needs registered memory, and each has left as soon as it is taken.
 *
 * <p><b>Owner:</b> the session. <b>Threading:</b> as {@link OutgoingEdge}.
 */
public record CarriedOutgoingEdge(EdgeCarrier.Outgoing end) implements OutgoingEdge {
    @Override
    public boolean isRegistered(Tensor tensor) {
        return true;
    }

    @Override
    public boolean copiesEach() {
        return true;
    }

    @Override
    public Tensor place() {
        return null;
    }

    @Override
    public SendResult offer(Tensor tensor, SendCallback callback) {
        if (!end.offer(tensor)) {
            return SendResult.BACK_PRESSURED;
        }
        callback.onComplete(null);
        return SendResult.SENT;
    }

    @Override
    public SendResult offerDead(SendCallback callback) {
        return offer(null, callback);
    }

    @Override
    public SendResult offerCopied(Tensor copy, SendCallback callback) {
        return offer(copy, callback);
    }
}
