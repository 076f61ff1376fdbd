package dev.verbena.memory.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock that its owner takes with a plain store and a plain load, no atomic operation and no fence in the machine; whoever else wants
 * in pays for both (an asymmetric Dekker lock).
 *
 * <pre>
 *   owner                                     revoker, one at a time
 *   enter: busy = true                        revoked = true
 *          revoked? ── yes ──► leave          handshake with all threads
 *   the work                                  while busy: wait
 *   leave: busy = false                       the work
 *                                             readmit: revoked = false
 * </pre>
 *
 * <p>No compiler may swap the owner's store and load, because of the fence between them, which is an instruction only on machines that
 * reorder more than x86. So at the handshake an owner that has not done the load will see {@code revoked}, and one that has, has done
 * the store too, and is seen. What the handshake is, {@link Handshake} says.
 *
 * <p><b>Owner:</b> the {@link SlotHeap} that it guards. <b>Threading:</b> {@link #tryEnter} and {@link #leave} are for the owning thread
 * alone, the rest for who holds the revokers' lock.
 */
class OwnerLock extends Ownership.Padded {
    private static final VarHandle BUSY = FieldHandle.of(MethodHandles.lookup(), "busy", boolean.class);
    private static final VarHandle REVOKED = FieldHandle.of(MethodHandles.lookup(), "revoked", boolean.class);

    private boolean busy;
    private boolean revoked;

    /** @return false if others were let in: wait for the revokers' lock, have it readmitted, and try again */
    final boolean tryEnter() {
        BUSY.setOpaque(this, true);
        VarHandle.releaseFence();
        VarHandle.acquireFence();
        if ((boolean) REVOKED.getOpaque(this)) {
            leave();
            return false;
        }
        return true;
    }

    final void leave() {
        BUSY.setRelease(this, false);
    }

    /** The first step to keep the owner out. */
    final void revoke() {
        REVOKED.setVolatile(this, true);
    }

    /** The second, once for any number of them. */
    static void handshake() {
        Handshake.chosen().run();
    }

    /** The third: returns when the owner is out. */
    final void awaitIdle() {
        while ((boolean) BUSY.getAcquire(this)) {
            Thread.yield();
        }
    }

    final void readmit() {
        REVOKED.setVolatile(this, false);
    }
}
