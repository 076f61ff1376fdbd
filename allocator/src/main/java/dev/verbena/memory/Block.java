package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The storage behind one tensor and all its reshaped aliases: where it lies and whether it is live, pinned or free.
 *
 * <p>State word: {@code CLOSED bit | pins}. The storage goes back when CLOSED is set and pins is 0; that happens once.
 *
 * <p><b>Owner:</b> the tensor. <b>Threading:</b> thread-safe.
 */
abstract class Block {
    private static final int CLOSED = 1 << 31;
    private static final VarHandle STATE;

    static {
        try {
            STATE = MethodHandles.lookup().findVarHandle(Block.class, "state", int.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final Slab slab;
    /** Bytes from the start of the slab. */
    final long offset;
    private volatile int state;

    Block(Slab slab, long offset) {
        this.slab = slab;
        this.offset = offset;
    }

    /** Gives the storage back; called once, on the thread that closed or unpinned last. */
    abstract void release();

    final boolean isOpen() {
        return state >= 0;
    }

    final int pins() {
        return state & ~CLOSED;
    }

    final void pin() {
        for (;;) {
            int seen = state;
            if (seen < 0) {
                throw new IllegalStateException("pin of a freed tensor: " + this);
            }
            if (STATE.compareAndSet(this, seen, seen + 1)) {
                return;
            }
        }
    }

    final void unpin() {
        for (;;) {
            int seen = state;
            if ((seen & ~CLOSED) == 0) {
                throw new IllegalStateException("unpin without pin: " + this);
            }
            if (STATE.compareAndSet(this, seen, seen - 1)) {
                if (seen - 1 == CLOSED) {
                    release();
                }
                return;
            }
        }
    }

    final void close() {
        int seen = (int) STATE.getAndBitwiseOr(this, CLOSED);
        if (seen < 0) {
            throw new IllegalStateException("double free: " + this);
        }
        if (seen == 0) {
            release();
        }
    }

    @Override
    public String toString() {
        return "block offset=" + offset + " slab=" + slab.memory();
    }
}
