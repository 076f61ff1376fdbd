package dev.verbena.memory.heap;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * The runs of a heap with slots that other threads have freed: a stack that many push to and one takes whole (Treiber, 1986; taken
 * whole, it has no ABA problem).
 *
 * <p>Invariant: a run with {@code returnedSlots != 0} is here once, or on its way here, and no other run is. Who sets the first bit
 * pushes it; who takes it from here takes the bits.
 *
 * <p><b>Owner:</b> {@link SlotHeap}. <b>Threading:</b> {@link #push} is thread-safe; {@link #takeAll} is for who has the heap's lock.
 */
final class ReturnedRuns {
    private static final int PADDING = LinePadding.BYTE_SIZE / Long.BYTES;

    /** In the middle of an array, so that nothing else is on its line. */
    private static final int TOP = PADDING;

    private final AtomicLongArray words = new AtomicLongArray(PADDING + 1 + PADDING);

    void push(long run) {
        long seen = words.get(TOP);
        for (;;) {
            RunRecord.returnedNext(run, seen);
            long found = words.compareAndExchange(TOP, seen, run);
            if (found == seen) {
                return;
            }
            seen = found;
        }
    }

    /** The first of all there are, linked by {@code returnedNext}; 0 if there are none. */
    long takeAll() {
        return words.get(TOP) == 0 ? 0 : words.getAndSet(TOP, 0L);
    }
}
