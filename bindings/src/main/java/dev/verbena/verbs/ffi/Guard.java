package dev.verbena.verbs.ffi;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.function.Supplier;

/**
 * Keeps a native object from being destroyed while a thread is in a call on it, at the cost of two plain stores and a
 * load per call: no atomic operation, no fence.
 *
 * <pre>
 *   caller                                     closer
 *   enter: busy = 1, load from the arena  ---&gt; arena.close()    who comes later finds it closed; who came earlier is seen
 *   the call                                   wait while busy == 1, for each lane
 *   leave: busy = 0                       ---&gt; destroy
 * </pre>
 *
 * The asymmetry is that of {@link Arena#ofShared()}: closing stops every thread at a point where it is not in an access
 * to the arena's memory. So either the load came before that point, and with it the store before the load, or it throws;
 * and only the closing thread pays.
 *
 * <p><b>Owner:</b> the object it guards. <b>Threading:</b> thread-safe, but a lane is one thread's at a time.
 */
public final class Guard {
    /** Calls that may run at the same time, on one thread each. */
    public static final int SEND = 0;
    public static final int RECEIVE = 1;
    private static final VarHandle BUSY = MethodHandles.arrayElementVarHandle(int[].class);
    /** Lanes are apart by a cache line, so that senders and receivers do not slow each other down. */
    private static final int STRIDE = 16;

    private final int[] busy = new int[3 * STRIDE];
    private final Supplier<IllegalStateException> closed;
    private Arena arena;
    private volatile MemorySegment open;

    /** What enter throws once the object is closed. */
    public Guard(Supplier<IllegalStateException> closed) {
        this.closed = closed;
        open();
    }

    /** Lets threads in again: the object was not destroyed. */
    void reopen() {
        open();
    }

    private void open() {
        arena = Arena.ofShared();
        open = arena.allocate(1);
    }

    /** @throws IllegalStateException if the object is closed */
    public void enter(int lane) {
        busy[(lane + 1) * STRIDE] = 1;
        try {
            open.get(ValueLayout.JAVA_BYTE, 0);
        } catch (IllegalStateException arenaClosed) {
            leave(lane);
            throw closed.get();
        }
    }

    public void leave(int lane) {
        BUSY.setRelease(busy, (lane + 1) * STRIDE, 0);
    }

    /** Returns when no thread is between enter and leave, and none will be. */
    public void close() {
        arena.close();
        for (int lane = SEND; lane <= RECEIVE; lane++) {
            while ((int) BUSY.getAcquire(busy, (lane + 1) * STRIDE) != 0) {
                Thread.onSpinWait();
            }
        }
    }
}
