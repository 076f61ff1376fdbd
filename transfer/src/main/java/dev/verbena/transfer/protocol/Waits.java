package dev.verbena.transfer.protocol;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Waits at the edge: closing something that a poller still works on.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> blocks its caller, except where that is the poller itself.
 */
final class Waits {
    /** A peer that is alive takes far less; one that is gone fails what is outstanding. */
    private static final long DEADLINE_NS = 2_000_000_000;
    private static final long PAUSE_NS = 50_000;

    private Waits() {}

    /** Lets the poller run the command, then waits until the condition holds, the poller is closed, or two seconds have passed. */
    static void until(BooleanSupplier condition, Poller poller, Runnable command) {
        if (!poller.submit(command) || poller.isCurrentThread()) {
            return;
        }
        long deadline = System.nanoTime() + DEADLINE_NS;
        while (!condition.getAsBoolean() && System.nanoTime() < deadline) {
            LockSupport.parkNanos(PAUSE_NS);
        }
    }
}
