package dev.verbena.transfer;

import dev.verbena.memory.Tensor;

/** Interim signature. Receiving end of a statically placed tensor: depth slots, allocated once. Threading: polled by one thread at a time. */
public final class TensorReceiver implements AutoCloseable {
    private TensorReceiver() {}

    /** The next tensor in order, lying in its slot, or null if none has arrived. Closing it tells the sender that the slot is free. */
    public Tensor poll() {
        throw new UnsupportedOperationException();
    }

    @Override
    public void close() {}
}
