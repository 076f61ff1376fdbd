package dev.verbena.transfer.spi;

import java.util.concurrent.locks.LockSupport;

/**
 * Where a device meets time and threads. A simulation has its own, so that what ships runs in it unchanged.
 *
 * <p><b>Owner:</b> the fabric. <b>Threading:</b> thread-safe.
 */
public interface Edge {
    /** Nanoseconds since some instant, as {@link System#nanoTime()}. */
    long nanoTime();

    /** Runs the task soon, not within this call, on a thread that may wait. */
    void execute(Runnable task);

    /**
     * Lets the thread sleep until somebody {@linkplain LockSupport#unpark unparks} it or the timeout passes; may
     * return early for no reason.
     */
    void park(Object blocker, long timeoutNs);

    /** The machine's clock, and a virtual thread for each task. */
    static Edge ofMachine() {
        return new Edge() {
            @Override
            public long nanoTime() {
                return System.nanoTime();
            }

            @Override
            public void execute(Runnable task) {
                Thread.startVirtualThread(task);
            }

            @Override
            public void park(Object blocker, long timeoutNs) {
                LockSupport.parkNanos(blocker, timeoutNs);
            }
        };
    }
}
