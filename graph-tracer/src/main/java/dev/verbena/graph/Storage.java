package dev.verbena.graph;

import dev.verbena.memory.Tensor;

/**
 * The memory behind one or more outputs of a run, and how many readers still need it.
 *
 * <p>{@code holds = (readers of its outputs that are not done) + (fetches of them, if OWNED) + (1 while its producer runs)}. At 0 an
 * OWNED tensor is closed, which for a received one tells the sender that its slot is free.
 *
 * <p>Written by the session's thread. Kernels on other threads may read {@link #holdsVolatile()}: who finds only its own holds
 * there stays alone, because every new hold comes with an old one.
 */
final class Storage {
    /** Who closes the tensor. */
    enum Kind {
        /** The run, after its last reader. */
        OWNED,
        /** The session, when it is closed. */
        VARIABLE,
        /** The caller. */
        FEED
    }

    private Tensor tensor;
    private Kind kind;
    private volatile int holds;
    /** Holds of nodes that change the storage in place; their order among themselves is settled by the plan. */
    private int changes;

    /** Takes charge of a tensor, held once. */
    void take(Tensor tensor, Kind kind) {
        this.tensor = tensor;
        this.kind = kind;
        this.holds = 1;
        this.changes = 0;
    }

    Tensor tensor() {
        return tensor;
    }

    boolean isOwned() {
        return kind == Kind.OWNED;
    }

    int holdsVolatile() {
        return holds;
    }

    /** Whether only {@code mine} of its readers, and nodes that change it, still need it. */
    boolean isReadBy(int mine) {
        return holds - changes == mine;
    }

    void expectChanges(int count) {
        changes += count;
    }

    void changed() {
        changes--;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // single writer
    void retain(int count) {
        holds = holds + count;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // single writer
    void release() {
        if (holds <= 0) {
            throw new IllegalStateException("released more often than held: " + tensor);
        }
        holds = holds - 1;
        if (holds == 0 && kind == Kind.OWNED) {
            Tensor last = tensor;
            tensor = null;
            last.close();
        }
    }

    /** Lets go of the tensor without closing it: somebody else owns it from now on. */
    void handOver() {
        tensor = null;
        holds = 0;
    }

    /** After a failed run: closes what is left, whoever held it. */
    void abandon() {
        if (kind == Kind.OWNED && tensor != null && tensor.isOpen()) {
            tensor.close();
        }
        tensor = null;
        holds = 0;
    }
}
