package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * Keeps a native object from being destroyed while a thread is in a call on it, at the cost of two plain stores per
 * call: no atomic operation, no fence.
 *
 * <pre>
 *   caller                          closer
 *   enter: busy[lane] = 1  ---&gt;     arena.close()    from here on enter throws; the 1 of whoever came first is seen
 *   the call                        wait while busy[lane] == 1, for each lane
 *   leave: busy[lane] = 0  ---&gt;     destroy
 * </pre>
 *
 * The asymmetry is that of {@link Arena#ofShared()}: an access to its memory either happens before its close or throws,
 * and only the closing thread pays for that. The bytes outlive the arena, so the closer can still read them.
 *
 * <p><b>Owner:</b> the object it guards. <b>Threading:</b> thread-safe, but a lane is one thread's at a time.
 */
final class Guard {
    /** Calls that may run at the same time, on one thread each. */
    static final int SEND = 0;
    static final int RECEIVE = 1;
    private static final int LANES = 2;
    private static final VarHandle BUSY = ValueLayout.JAVA_BYTE.varHandle();

    private final MemorySegment busy = Arena.ofAuto().allocate(LANES);
    private final Arena open = Arena.ofShared();
    private final MemorySegment busyWhileOpen = busy.reinterpret(open, null);

    private final Supplier<IllegalStateException> closed;

    /** What enter throws once the object is closed. */
    Guard(Supplier<IllegalStateException> closed) {
        this.closed = closed;
    }

    /** @throws IllegalStateException if the object is closed */
    void enter(int lane) {
        try {
            busyWhileOpen.set(ValueLayout.JAVA_BYTE, lane, (byte) 1);
        } catch (IllegalStateException arenaClosed) {
            throw closed.get();
        }
    }

    void leave(int lane) {
        BUSY.setRelease(busy, (long) lane, (byte) 0);
    }

    /** Returns when no thread is between enter and leave, and none will be. */
    void close() {
        open.close();
        for (long lane = 0; lane < LANES; lane++) {
            while ((byte) BUSY.getAcquire(busy, lane) != 0) {
                Thread.onSpinWait();
            }
        }
    }
}
