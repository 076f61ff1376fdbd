package dev.verbena.memory.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The runs of a heap with slots that other threads have freed: a stack that many push to and one takes whole (Treiber, 1986; taken
 * whole, it has no ABA problem).
 *
 * <p>Invariant: a run with {@code returnedSlots != 0} is here once, or on its way here, and no other run is. Who sets the first bit
 * pushes it; who takes it from here takes the bits.
 *
 * <p><b>Owner:</b> {@link ThreadHeap}. <b>Threading:</b> {@link #push} is thread-safe; {@link #takeAll} is for who has the heap's lock.
 */
final class ReturnedRuns {
    private static final VarHandle TOP;

    static {
        try {
            TOP = MethodHandles.lookup().findVarHandle(ReturnedRuns.class, "top", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile long top;

    void push(long run) {
        long seen = top;
        for (;;) {
            RunRecord.returnedNext(run, seen);
            long found = (long) TOP.compareAndExchange(this, seen, run);
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }

    /** The first of all there are, linked by {@code returnedNext}; 0 if there are none. */
    long takeAll() {
        return top == 0 ? 0 : (long) TOP.getAndSet(this, 0L);
    }
}
