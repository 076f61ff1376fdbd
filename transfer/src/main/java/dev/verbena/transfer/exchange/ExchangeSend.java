package dev.verbena.transfer.exchange;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.SendCallback;

/**
 * One tensor, or what is said instead of one, from its offer to its end; made once, used many times.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeSender}. <b>Threading:</b> filled by who offers it, the rest while driving.
 */
final class ExchangeSend {
    final TensorLease lease = new TensorLease();
    ExchangeEntry.Kind kind;
    String name;
    byte[] nameBytes;
    long step;
    ElementType type;
    Shape shape;
    long byteSize;
    /** Where there is no tensor. */
    byte[] bytes;
    boolean isChecked;
    /** Of a rendezvous: index of its release word. */
    int word;
    /** Whether its sender wants it back. */
    boolean isWithdrawn;
    long checksum;
    SendCallback callback;

    /** Whether it is of that name and step, and, unless the callback is null, that one of them. */
    boolean is(String name, long step, SendCallback callback) {
        return this.step == step && this.name.equals(name) && (callback == null || this.callback == callback);
    }

    /** Keeps the tensor until {@link #release}. */
    void take(Tensor tensor) {
        lease.pin(tensor);
        type = tensor.type();
        shape = tensor.shape();
        byteSize = tensor.byteSize();
    }

    void take(byte[] bytes) {
        this.bytes = bytes;
        byteSize = bytes.length;
        shape = null;
    }

    /** Keeps nothing any more. @return who hears of its end; may be null */
    SendCallback release() {
        SendCallback listener = callback;
        lease.release();
        callback = null;
        isWithdrawn = false;
        bytes = null;
        shape = null;
        return listener;
    }

    /** What its entry takes in a message where the receiver knows name and shape. */
    long entryByteSizeMin() {
        return ExchangeEntry.byteSize(nameBytes.length, 0, 0, payloadByteSize());
    }

    long payloadByteSize() {
        return switch (kind) {
            case EAGER, BYTES, ERROR -> byteSize;
            case RENDEZVOUS, WITHDRAWAL -> ExchangeEntry.PLACE_BYTE_SIZE;
            case DEAD -> 0;
        };
    }
}
