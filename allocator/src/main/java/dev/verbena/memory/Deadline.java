package dev.verbena.memory;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Waits for what nobody announces: whoever unpins last does not pay for a waiter that may not exist. Pauses double, so that a wait takes
 * about twice as long as necessary at most, or a hundredth of a second more, and a core has better things to do.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> blocks its caller, who may be interrupted.
 */
final class Deadline {
    private static final long PAUSE_NS_MIN = 10_000;
    private static final long PAUSE_NS_MAX = 10_000_000;

    private Deadline() {}

    /** Asks at least once. Returns false if the condition did not hold in time. */
    static boolean await(Duration deadline, BooleanSupplier condition) throws InterruptedException {
        long limitNs = TimeUnit.NANOSECONDS.convert(deadline);
        long startNs = System.nanoTime();
        long pauseNs = PAUSE_NS_MIN;
        while (!condition.getAsBoolean()) {
            long leftNs = limitNs - (System.nanoTime() - startNs);
            if (leftNs <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.sleep(Math.min(pauseNs, leftNs));
            pauseNs = Math.min(2 * pauseNs, PAUSE_NS_MAX);
        }
        return true;
    }
}
