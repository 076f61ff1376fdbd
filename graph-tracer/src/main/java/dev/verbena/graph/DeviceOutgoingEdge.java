package dev.verbena.graph;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.SendCallback;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorSender;

/** A sender, and where it stages what is not registered. */
record DeviceOutgoingEdge(TensorSender sender, TensorArena staging) implements OutgoingEdge {
    @Override
    public boolean isRegistered(Tensor tensor) {
        return sender.isRegistered(tensor);
    }

    @Override
    public SendResult offer(Tensor tensor, SendCallback callback) {
        return sender.offer(tensor, callback);
    }

    @Override
    public SendResult offerCopy(Tensor tensor, SendCallback callback) {
        return sender.offerCopy(tensor, staging, callback);
    }
}
