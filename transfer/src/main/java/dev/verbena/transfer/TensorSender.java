package dev.verbena.transfer;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** Interim signature. Sending end of a statically placed tensor (EuroSys'19 §3.2). Threading: offers by one thread at a time. */
public final class TensorSender implements AutoCloseable {
    private TensorSender() {}

    /** Whether the tensor lies in memory registered with this sender's device, so that it can be offered without a copy. */
    public boolean isRegistered(Tensor tensor) {
        throw new UnsupportedOperationException();
    }

    /** Writes the tensor into the receiver's next slot; pins it meanwhile. callback may be null. @throws TransferException if the peer is lost */
    public SendResult offer(Tensor tensor, SendCallback callback) {
        throw new UnsupportedOperationException();
    }

    /** Copies the tensor into a staging tensor of the registered arena first (the paper's RDMA.cp); BACK_PRESSURED also when the arena is full. */
    public SendResult offerCopy(Tensor tensor, TensorArena staging, SendCallback callback) {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
