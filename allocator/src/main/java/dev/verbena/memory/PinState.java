package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

import dev.verbena.memory.heap.FieldHandle;

/**
 * Whether the storage behind one tensor and all its reshaped aliases is live, pinned or free.
 *
 * <pre>
 *   state word      31        30 .. 0
 *                 CLOSED    pins
 *
 *   state     pin       share     unpin                   close                     lend
 *   LIVE      PINNED    PINNED    error                   FREE, storage goes back   error
 *   PINNED    PINNED    PINNED    PINNED or LIVE          CLOSING                   error
 *   CLOSING   error     CLOSING   CLOSING, or at the      error                     error
 *                                 last pin FREE, storage
 *                                 goes back
 *   FREE      error     error     error                   error                     CLOSING, one pin
 * </pre>
 *
 * <p>Every move is one atomic step on the word, and only one step leads to FREE; so the storage goes back once, whichever of close and
 * unpin comes last. Only what a {@link TensorSlot} lends leaves FREE again.
 *
 * <p><b>Owner:</b> the tensor, which it is a part of. <b>Threading:</b> thread-safe.
 */
abstract class PinState {
    /** What may still be done with a block. */
    enum State {
        /** In use by its owner. */
        LIVE,
        /** In use by its owner and by transfers. */
        PINNED,
        /** Closed by its owner, still in use by transfers. */
        CLOSING,
        /** Gone back. */
        FREE
    }

    static final int PINS_MAX = Integer.MAX_VALUE;

    private static final int CLOSED = 1 << 31;
    private static final VarHandle STATE = FieldHandle.of(MethodHandles.lookup(), "word", int.class);

    private volatile int word;

    /** Gives the storage back; called once, on the thread that closed or unpinned last. */
    abstract void releaseStorage();

    /** What to add to the message about a misuse. */
    abstract String history();

    final State state() {
        int seen = word;
        if (seen < 0) {
            return seen == CLOSED ? State.FREE : State.CLOSING;
        }
        return seen == 0 ? State.LIVE : State.PINNED;
    }

    final boolean isLive() {
        return word >= 0;
    }

    final int pinCount() {
        return word & ~CLOSED;
    }

    /**
     * {@code tensor} is named in the message if it can't be done; so below.
     *
     * @param isShared by who has a pin already: also if the block was closed meanwhile
     */
    final void addPin(Object tensor, boolean isShared) {
        for (;;) {
            int seen = word;
            if (seen == CLOSED || seen < 0 && !isShared) {
                throw new IllegalStateException("pin after free: " + tensor + " was closed before" + history());
            }
            if ((seen & ~CLOSED) == PINS_MAX) {
                throw new IllegalStateException(
                        "pins=" + PINS_MAX + ": too many, unpin is missing somewhere: " + tensor);
            }
            if (STATE.compareAndSet(this, seen, seen + 1)) {
                return;
            }
        }
    }

    /** Nothing is in the storage yet. */
    final void startFree() {
        word = CLOSED;
    }

    final void lend(Object tensor) {
        if (!STATE.compareAndSet(this, CLOSED, CLOSED + 1)) {
            throw new IllegalStateException("already lent: " + tensor + " pins=" + pinCount());
        }
    }

    final void removePin(Object tensor) {
        for (;;) {
            int seen = word;
            if ((seen & ~CLOSED) == 0) {
                throw new IllegalStateException("unpin without pin: " + tensor + " pins=0");
            }
            if (STATE.compareAndSet(this, seen, seen - 1)) {
                if (seen - 1 == CLOSED) {
                    releaseStorage();
                }
                return;
            }
        }
    }

    final void end(Object tensor) {
        int seen = (int) STATE.getAndBitwiseOr(this, CLOSED);
        if (seen < 0) {
            throw new IllegalStateException("double free: " + tensor + " was closed before" + history());
        }
        if (seen == 0) {
            releaseStorage();
        }
    }
}
