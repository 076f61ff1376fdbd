package dev.verbena.cli;

import java.util.concurrent.TimeUnit;

/**
 * When a wait is worth a word: after 4 s, and then each time it has become twice as long or another minute longer.
 *
 * <p>Threading: confined to its user.
 */
final class WaitMarks {
    private static final long FIRST_NS = TimeUnit.SECONDS.toNanos(4);
    private static final long STEP_NS_MAX = TimeUnit.SECONDS.toNanos(60);

    private long nextNs = FIRST_NS;
    private long lastNs;

    /** Whether to speak, after so long; a shorter time than before is that of another wait. */
    boolean isReached(long waitedNs) {
        if (waitedNs < lastNs) {
            nextNs = FIRST_NS;
        }
        lastNs = waitedNs;
        if (waitedNs < nextNs) {
            return false;
        }
        while (nextNs <= waitedNs) {
            nextNs += Math.min(nextNs, STEP_NS_MAX);
        }
        return true;
    }

    /** Until then there is nothing to be said. */
    long nextNs() {
        return nextNs;
    }
}
