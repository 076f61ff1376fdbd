package dev.verbena.graph.run.memory;

import dev.verbena.graph.plan.RunPlan;
import dev.verbena.graph.plan.RunPlan.Holds;
import dev.verbena.memory.Tensor;

/**
 * The memory behind one or more outputs of a run, and how many still need it.
 *
 * <pre>
 * the life of a hold      planned (RunPlan.Holds)   taken                              given back
 *
 * of the producer         -                         take, when the storage begins      release, when the node is done
 * of each reader          readers of the output     publish, when the node is done     release, when the reader is done
 *   in settled order      settled, of those         publish                            settle, then release
 * of each fetch, if OWNED fetches of the output     publish                            handOver or release, when all has run
 * of all, if a run fails                                                               abandon
 * </pre>
 *
 * {@code holds} is how many have been taken and not given back, {@code settled} how many of them by nodes whose order against those that
 * change the storage in place is the plan's: by the changing nodes themselves, and by who reads it behind a change.
 * Readers of other outputs that are the same storage count here too: an output that forwards or overwrites an input is published into
 * the input's storage while the node that does so still holds it, so that each new hold comes with an old one. At 0 an OWNED tensor is
 * closed, which for a received one tells the sender that its slot is free, and a LENT one given back. A fetch of what the run does not own holds
 * nothing: it is a copy, and nobody has to wait for it to change a variable.
 *
 * <p><b>Owner:</b> the {@link Value} that begins it, or the {@link VariableStore}. <b>Threading:</b> written by the session's thread. Kernels
 * on other threads may read {@link #holdsVolatile()}: who finds only its own holds there stays alone.
 */
public final class Storage {
    /**
     * Who closes the tensor.
     *
     * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
     */
    public enum Kind {
        /** The run, after its last reader. */
        OWNED,
        /** Likewise, but it is a peer's, who waits for it: nobody writes to it, or keeps it longer. */
        LENT,
        /** The session, when it is closed. */
        VARIABLE,
        /** The caller. */
        FEED
    }

    private Tensor tensor;
    private Kind kind;
    private volatile int holds;
    /** Of those holds no node that changes the storage waits for. */
    private int settled;

    /** Takes charge of a tensor, held once. */
    void take(Tensor tensor, Kind kind) {
        this.tensor = tensor;
        this.kind = kind;
        this.holds = 1;
        this.settled = 0;
    }

    Tensor tensor() {
        return tensor;
    }

    public boolean isOwned() {
        return kind == Kind.OWNED;
    }

    public boolean isLent() {
        return kind == Kind.LENT;
    }

    /** Whether it may be changed, or gone, before all has run. */
    boolean isFleeting() {
        return kind == Kind.VARIABLE || isLent();
    }

    private boolean isClosedByRun() {
        return isOwned() || isLent();
    }

    public int holdsVolatile() {
        return holds;
    }

    /** Whether only {@code mine} of its readers, and those in settled order, still need it. */
    public boolean isReadBy(int mine) {
        return holds - settled == mine;
    }

    /** An output in it is there: whoever needs that output holds it. */
    @SuppressWarnings("NonAtomicOperationOnVolatileField") // single writer
    void publish(Holds planned) {
        holds = holds + planned.readers() + (isOwned() ? planned.fetches() : 0);
        settled += planned.settled();
    }

    /** One of those in settled order is done. */
    public void settle() {
        settled--;
    }

    @SuppressWarnings("NonAtomicOperationOnVolatileField") // single writer
    public void release() {
        if (holds <= 0) {
            throw new IllegalStateException("released more often than held: " + tensor);
        }
        holds = holds - 1;
        if (holds == 0 && isClosedByRun()) {
            Tensor last = tensor;
            tensor = null;
            last.close();
        }
    }

    /** Lets go of the tensor without closing it: somebody else owns it from now on. */
    public void handOver() {
        tensor = null;
        holds = 0;
    }

    /** After a failed run: closes what is left, whoever held it. */
    public void abandon() {
        if (isClosedByRun() && tensor != null && tensor.isOpen()) {
            tensor.close();
        }
        tensor = null;
        holds = 0;
    }
}
