package dev.verbena.memory;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A tensor as libraries of others take it: an address, a size, and a callback for when they need it no longer. The tensor is pinned
 * until then; its owner may close it meanwhile.
 *
 * <p><b>Owner:</b> whoever exported it; who uses the address releases it, or has it released, after the last access.
 * <b>Threading:</b> thread-safe; the bytes are for their users to order.
 */
public final class TensorExport implements AutoCloseable {
    private final Tensor tensor;
    private final long address;
    private final AtomicBoolean isReleased = new AtomicBoolean();

    private TensorExport(Tensor tensor, long address) {
        this.tensor = tensor;
        this.address = address;
    }

    /** Pins the tensor; see {@link Tensor#export}. */
    static TensorExport of(Tensor tensor) {
        long address = tensor.address();
        tensor.pin();
        return new TensorExport(tensor, address);
    }

    /**
     * Of the first byte.
     *
     * @throws IllegalStateException if it is released
     */
    public long address() {
        if (isReleased.get()) {
            throw new IllegalStateException("use after release: the export of " + tensor + " was released before");
        }
        return address;
    }

    public long byteSize() {
        return tensor.byteSize();
    }

    /** Unpins the tensor, once: foreign code may call it as often as it likes. {@code export::release} is a {@link Runnable}. */
    public void release() {
        if (isReleased.compareAndSet(false, true)) {
            tensor.unpin();
        }
    }

    /** The same as {@link #release}. */
    @Override
    public void close() {
        release();
    }

    @Override
    public String toString() {
        return "export of " + tensor + (isReleased.get() ? ", released" : "");
    }
}
