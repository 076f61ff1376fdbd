package dev.verbena.memory;

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
            TOP = MethodHandles.lookup().findVarHandle(ReturnedRuns.class, "top", SlotRun.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private volatile SlotRun top;

    void push(SlotRun run) {
        SlotRun seen = top;
        for (;;) {
            run.pages.returnedNext = seen;
            SlotRun found = (SlotRun) TOP.compareAndExchange(this, seen, run);
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }

    boolean isEmpty() {
        return top == null;
    }

    /** The first of all there are, linked by {@code pages.returnedNext}; null if there are none. */
    SlotRun takeAll() {
        return top == null ? null : (SlotRun) TOP.getAndSet(this, null);
    }
}
