package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.heap.FieldHandle;

/**
 * A hold on the memory of a tensor: a transfer's, an owner's beside others, or that of a library of others, which takes its address, its
 * size, and {@link #release} as a callback.
 *
 * <pre>
 *   of(tensor), pin(tensor)   its owner closes the tensor; the memory stays until this and all other leases are given up
 *   owning(tensor)            nobody closes the tensor: the last lease that is given up does, of this one and all that were shared from it
 *   {@link TensorSlot#lend}           the tensor is closed from the beginning; its slot is free when this and all other leases are given up
 * </pre>
 *
 * <p>Each holder has a lease of his own, so that one who gives his up twice, or uses it after that, is told, and the others' holds are as
 * they were.
 *
 * <p><b>Owner:</b> whoever made it, or was handed it; gives it up once, after the last access. <b>Threading:</b> thread-safe; the bytes are
 * for their users to order. What a holder did to them happens before they are handed out again.
 */
public final class TensorLease implements AutoCloseable {
    private static final VarHandle HELD = FieldHandle.of(MethodHandles.lookup(), "held", Tensor.class);

    /** How many leases own the tensor together; null if this one pins it. */
    private final AtomicLong owners;
    /** Null if it holds none. */
    private volatile Tensor held;

    /** One that holds nothing yet, for a first {@link #pin}. */
    public TensorLease() {
        owners = null;
    }

    private TensorLease(Tensor tensor, AtomicLong owners) {
        held = tensor;
        this.owners = owners;
    }

    /**
     * One that pins the tensor.
     *
     * @throws IllegalStateException if it is closed
     */
    public static TensorLease of(Tensor tensor) {
        TensorLease lease = new TensorLease();
        lease.pin(tensor);
        return lease;
    }

    /**
     * Takes over a tensor, which nobody closes from now on, for a first owner.
     *
     * @throws IllegalStateException if it is closed
     */
    public static TensorLease owning(Tensor tensor) {
        if (!Objects.requireNonNull(tensor, "tensor").isOpen()) {
            throw new IllegalStateException("use after free: cannot own " + tensor + ", which was closed before");
        }
        return new TensorLease(tensor, new AtomicLong(1));
    }

    /**
     * Pins the tensor with this lease, which holds none: for those who pin one after another and make no object for each. Not for a lease
     * that others release, who could do so late.
     *
     * @throws IllegalStateException if the tensor is closed, or this lease holds one, or owned one
     */
    public void pin(Tensor tensor) {
        tensor.pin();
        hold(tensor);
    }

    /** As {@link #pin}, of the tensor that another lease holds: also if it was closed meanwhile. */
    void pinAs(TensorLease other) {
        Tensor tensor = other.tensor();
        tensor.sharePin();
        hold(tensor);
    }

    /** For {@link TensorSlot#lend}. */
    void borrow(Tensor tensor) {
        if (!tryHold(tensor)) {
            throw isForAnother(tensor);
        }
        try {
            tensor.lend(tensor);
        } catch (IllegalStateException e) {
            held = null;
            throw e;
        }
    }

    private void hold(Tensor tensor) {
        if (!tryHold(tensor)) {
            tensor.unpin();
            throw isForAnother(tensor);
        }
    }

    private boolean tryHold(Tensor tensor) {
        return owners == null && HELD.compareAndSet(this, null, tensor);
    }

    private IllegalStateException isForAnother(Tensor tensor) {
        return new IllegalStateException("this lease cannot hold " + tensor + ": it is for another one, " + this);
    }

    /**
     * One more of the same kind, for another holder; of one that pins also if the tensor is closed.
     *
     * @throws IllegalStateException if this one is given up
     */
    public TensorLease share() {
        Tensor tensor = tensor();
        if (owners == null) {
            TensorLease another = new TensorLease();
            another.pinAs(this);
            return another;
        }
        if (!addOwner(owners)) {
            throw givenUp();
        }
        return new TensorLease(tensor, owners);
    }

    /** Returns false if there is none any more: who gives this lease up in another thread at the same time may have been the last. */
    static boolean addOwner(AtomicLong owners) {
        return owners.getAndUpdate(count -> count == 0 ? 0 : count + 1) != 0;
    }

    /**
     * The tensor, which is usable until this lease is given up, if it owns it, and if it pins it, until its owner closes it.
     *
     * @throws IllegalStateException if this lease is given up
     */
    public Tensor tensor() {
        Tensor tensor = held;
        if (tensor == null) {
            throw givenUp();
        }
        return tensor;
    }

    /**
     * Its bytes, whether the tensor is closed or not.
     *
     * @throws IllegalStateException if this lease is given up
     */
    public MemorySegment memory() {
        return tensor().heldMemory();
    }

    /**
     * Of the first byte, whether the tensor is closed or not.
     *
     * @throws IllegalStateException if this lease is given up
     */
    public long address() {
        return tensor().heldAddress();
    }

    /** @throws IllegalStateException if this lease is given up */
    public long byteSize() {
        return tensor().byteSize();
    }

    /** Leases that own the tensor together at some moment during the call; 0 of one that pins. */
    public long owners() {
        return owners == null ? 0 : owners.get();
    }

    /**
     * Gives it up, once: foreign code may call it as often as it likes. {@code lease::release} is a {@link Runnable}.
     *
     * @return whether it was not given up before
     */
    public boolean release() {
        Tensor tensor = held == null ? null : (Tensor) HELD.getAndSet(this, null);
        if (tensor == null) {
            return false;
        }
        if (owners == null) {
            tensor.unpin();
        } else if (owners.decrementAndGet() == 0) {
            tensor.close();
        }
        return true;
    }

    /**
     * As {@link #release}, for who has to do so once.
     *
     * @throws IllegalStateException if it was given up before; the others' are as they were
     */
    @Override
    public void close() {
        if (!release()) {
            throw new IllegalStateException("double free: " + this + " was given up before; each holder gives up his"
                    + " own, once");
        }
    }

    private IllegalStateException givenUp() {
        return new IllegalStateException("use after free: " + this + " was given up before; each holder needs his own");
    }

    @Override
    public String toString() {
        Tensor tensor = held;
        return "lease of " + (tensor == null ? "nothing" : tensor) + (owners == null ? "" : " owners=" + owners);
    }
}
