package dev.verbena.benchmarks.transfer;

import java.util.concurrent.TimeUnit;

/**
 * How an end waits that is driven by its own thread: it spins, now and then lets others have the processor, and gives up after a minute.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> stateless.
 */
final class SpinWait {
    private static final long PATIENCE_NS = TimeUnit.MINUTES.toNanos(1);
    private static final int CLOCK_ROUNDS = 1 << 12;

    private SpinWait() {}

    /**
     * @param round of those that have waited in vain, from 1
     * @throws IllegalStateException if it has taken too long
     */
    static void once(long beginNs, int round) {
        Thread.onSpinWait();
        if (round % CLOCK_ROUNDS == 0) {
            Thread.yield();
            if (System.nanoTime() - beginNs > PATIENCE_NS) {
                throw new IllegalStateException("the other end does nothing for a minute");
            }
        }
    }
}
