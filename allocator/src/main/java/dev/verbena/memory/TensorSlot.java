package dev.verbena.memory;

import java.util.Objects;

/**
 * Memory of a tensor that somebody fills again and again, and that no arena manages: what is in it is handed out as a tensor, a new object
 * each time, or to a lease, without any object.
 *
 * <pre>
 *   free ──take, or lend──► handed out ──the tensor is closed and not pinned, or the last lease given up──► free: onFree
 * </pre>
 *
 * <p>Who still has what is free again, and uses it, is told, also once the slot is handed out anew: each tensor that was taken lives once, and
 * what a lease holds is closed from the beginning, so that nobody but its holders gets at it.
 *
 * <p><b>Owner:</b> who fills it. <b>Threading:</b> handed out by one thread at a time, never twice at once; given back on any.
 */
public final class TensorSlot {
    private final UnmanagedStorage storage;
    private final long address;
    private final ElementType type;
    private final Shape shape;
    /** What leases hold, one time after the other. */
    private final Tensor lent;

    /**
     * Nothing is in it yet; {@code onFree} runs each time that it is free again.
     *
     * @throws IllegalArgumentException as {@link Tensor#over}
     */
    public TensorSlot(Slab slab, long offset, ElementType type, Shape shape, Runnable onFree) {
        Tensor.checkWithin(slab, offset, type, shape);
        storage = new UnmanagedStorage(slab, Objects.requireNonNull(onFree, "onFree"));
        address = slab.memory().address() + offset;
        this.type = type;
        this.shape = shape;
        lent = new Tensor(storage, address, type, shape);
        lent.startFree();
    }

    /** What is in it, as a tensor. */
    public Tensor take() {
        return new Tensor(storage, address, type, shape);
    }

    /**
     * What is in it, held by a lease, which held none: by {@link TensorLease#memory()} and the like, until it and all that were shared from it
     * are given up. Its {@link TensorLease#tensor()} is closed, and cannot be pinned.
     *
     * @throws IllegalStateException if this lease holds a tensor, or owned one, or the slot is lent already; nothing has changed then
     */
    public void lend(TensorLease lease) {
        lease.borrow(lent);
    }
}
