package dev.verbena.memory.heap;

import java.util.concurrent.atomic.AtomicLongArray;

/**
 * How many pins there are on an arena's memory, counted so that threads that pin do not meet.
 *
 * <pre>
 *   a line of each of 16 threads   | added | removed |       |
 * </pre>
 *
 * <p>Both go up only. What was removed is read first, so that the count is never less than there were at the moment between.
 *
 * <p><b>Owner:</b> {@link ArenaBlocks}. <b>Threading:</b> thread-safe. Not final: tests pin while it counts.
 */
class PinCount {
    private static final int LINES = 16;
    private static final int STEP = LinePadding.BYTE_SIZE / Long.BYTES;
    private static final int ADDED = 0;
    private static final int REMOVED = 1;

    /** The first line is padding. */
    private final AtomicLongArray words = new AtomicLongArray((1 + LINES + 1) * STEP);

    void add() {
        words.getAndIncrement(ofThread() + ADDED);
    }

    void remove() {
        words.getAndIncrement(ofThread() + REMOVED);
    }

    private static int ofThread() {
        return (1 + ((int) Thread.currentThread().threadId() & LINES - 1)) * STEP;
    }

    long get() {
        long removed = sum(REMOVED);
        return sum(ADDED) - removed;
    }

    private long sum(int which) {
        long sum = 0;
        for (int line = 1; line <= LINES; line++) {
            sum += words.get(line * STEP + which);
        }
        return sum;
    }
}
