package dev.verbena.graph.run.edge;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DynamicTensorSender;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/**
 * A device's senders as ends of edges.
 *
 * <p><b>Owner:</b> none; the senders are the session's. <b>Threading:</b> as {@link OutgoingEdge}.
 */
public final class DeviceOutgoingEdge {
    private DeviceOutgoingEdge() {}

    /** By static placement. */
    public static OutgoingEdge of(TensorSender sender) {
        return new OutgoingEdge() {
            @Override
            public boolean isRegistered(Tensor tensor) {
                return sender.isRegistered(tensor);
            }

            @Override
            public Tensor place() {
                try {
                    // In the slot or nowhere: no arena is asked.
                    return sender.placesTensors() ? sender.place((TensorArena) null) : null;
                } catch (TransferException e) {
                    return null; // Who sends says so.
                }
            }

            @Override
            public SendResult offer(Tensor tensor, SendCallback callback) {
                return sender.offer(tensor, callback);
            }

            @Override
            public SendResult offerDead(SendCallback callback) {
                throw new IllegalStateException(
                        sender + " is of an edge that is never dead; this is a defect of the plan");
            }

            @Override
            public SendResult offerCopied(Tensor copy, SendCallback callback) {
                return sender.offerCopied(copy, callback);
            }
        };
    }

    /** By dynamic allocation, or lending. */
    public static OutgoingEdge of(DynamicTensorSender sender) {
        return new OutgoingEdge() {
            @Override
            public boolean isRegistered(Tensor tensor) {
                return sender.isRegistered(tensor);
            }

            @Override
            public boolean lends() {
                return sender.lends();
            }

            @Override
            public Tensor place() {
                return null; // It has no slot before it is offered.
            }

            @Override
            public SendResult offerDead(SendCallback callback) {
                return sender.offerDead(callback);
            }

            @Override
            public SendResult offer(Tensor tensor, SendCallback callback) {
                return sender.lend(tensor, callback);
            }

            @Override
            public SendResult offerCopied(Tensor copy, SendCallback callback) {
                return sender.lendCopied(copy, callback);
            }
        };
    }
}
