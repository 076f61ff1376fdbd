package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A lock that its owner takes with a plain store and a load, no atomic operation and no fence; whoever else wants in pays for both.
 *
 * <pre>
 *   owner                                     revoker, one at a time
 *   enter: busy = 1, load from the gate  ---&gt; gate.close()       who enters later finds it closed; who came earlier is seen
 *   the work                                  awaitIdle: while busy == 1
 *   leave: busy = 0                      ---&gt; the work
 *   enter fails: under the revokers' lock, a new gate
 * </pre>
 *
 * <p>The asymmetry is that of {@link Arena#ofShared()}: closing one stops every thread at a point where it is not within an access to
 * the memory of the arena. So either the load came before that point, and with it the store before the load, or it throws.
 *
 * <p><b>Owner:</b> the {@link ThreadHeap} that it guards. <b>Threading:</b> {@link #enter} and {@link #leave} are for the owning thread
 * alone, the rest for who holds the revokers' lock.
 */
final class OwnerLock {
    /** What stands open until it is closed, once, for all who use it. */
    static final class Gate {
        private final Arena arena = Arena.ofShared();
        private final MemorySegment open = arena.allocate(1);

        boolean isOpen() {
            return arena.scope().isAlive();
        }

        void close() {
            if (isOpen()) {
                arena.close();
            }
        }
    }

    private static final VarHandle BUSY;

    static {
        try {
            BUSY = MethodHandles.lookup().findVarHandle(OwnerLock.class, "busy", boolean.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private boolean busy;
    /** Written with the revokers' lock held, by the owner. */
    private MemorySegment gate;

    OwnerLock(Gate gate) {
        pass(gate);
    }

    /** @return false if others were let in: get a gate that is open and try again */
    boolean enter() {
        busy = true;
        try {
            gate.get(ValueLayout.JAVA_BYTE, 0);
            return true;
        } catch (IllegalStateException closed) {
            leave();
            return false;
        }
    }

    void leave() {
        BUSY.setRelease(this, false);
    }

    /** Makes the owner enter through that gate from now on. */
    void pass(Gate gate) {
        this.gate = gate.open;
    }

    /** Returns when the owner is out; the gate must be closed, so that it stays out. */
    void awaitIdle() {
        while ((boolean) BUSY.getAcquire(this)) {
            Thread.onSpinWait();
        }
    }
}
