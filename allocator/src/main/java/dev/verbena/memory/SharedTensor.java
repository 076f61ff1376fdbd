package dev.verbena.memory;

import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;

/**
 * One owner's share in a tensor that several own: the last one to close its share frees the tensor.
 *
 * <pre>
 *   of(tensor) ──► share ──share()──► share ...      tensor: live while an owner's share is open,
 *                    │                  │                    closed by the last close()
 *                  close()            close()
 * </pre>
 *
 * <p>Each owner has an object of its own, so that one who closes twice, or uses its share after closing it, is told, while the others go
 * on. Invariant: {@code owners} is the number of open shares.
 *
 * <p><b>Owner:</b> whoever called {@link #of} or {@link #share}, or was handed the result. <b>Threading:</b> thread-safe; the bytes are for
 * their users to order. What an owner did to them happens before they are handed out again.
 */
public final class SharedTensor implements AutoCloseable {
    private final Tensor tensor;
    private final AtomicLong owners;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    private SharedTensor(Tensor tensor, AtomicLong owners) {
        this.tensor = tensor;
        this.owners = owners;
    }

    /**
     * Takes over a tensor, which nobody else closes from now on, for a first owner.
     *
     * @throws IllegalStateException if it is closed
     */
    public static SharedTensor of(Tensor tensor) {
        if (!Objects.requireNonNull(tensor, "tensor").isOpen()) {
            throw new IllegalStateException("use after free: cannot share " + tensor + ", which was closed before");
        }
        return new SharedTensor(tensor, new AtomicLong(1));
    }

    /**
     * One more owner's share.
     *
     * @throws IllegalStateException if this one is closed
     */
    public SharedTensor share() {
        checkOpen();
        if (!addOwner(owners)) {
            throw closedBefore();
        }
        return new SharedTensor(tensor, owners);
    }

    /** Returns false if there is none any more: who closes this share in another thread at the same time may have been the last. */
    static boolean addOwner(AtomicLong owners) {
        return owners.getAndUpdate(count -> count == 0 ? 0 : count + 1) != 0;
    }

    /**
     * The tensor, to be used until this share is closed, and not to be closed itself.
     *
     * @throws IllegalStateException if this share is closed
     */
    public Tensor tensor() {
        checkOpen();
        return tensor;
    }

    /** Open shares at some moment during the call. */
    public long owners() {
        return owners.get();
    }

    /**
     * Gives up this share, and frees the tensor if there is no other.
     *
     * @throws IllegalStateException if this share is closed already; the others' are as they were
     */
    @Override
    public void close() {
        if (!isClosed.compareAndSet(false, true)) {
            throw new IllegalStateException("double free: this share of " + tensor + " was closed before, owners="
                    + owners() + "; each owner closes its own share, once");
        }
        if (owners.decrementAndGet() == 0) {
            tensor.close();
        }
    }

    private void checkOpen() {
        if (isClosed.get()) {
            throw closedBefore();
        }
    }

    private IllegalStateException closedBefore() {
        return new IllegalStateException("use after free: this share of " + tensor + " was closed before, owners="
                + owners() + "; call share() for each owner");
    }

    @Override
    public String toString() {
        return "share of " + tensor + " owners=" + owners();
    }
}
