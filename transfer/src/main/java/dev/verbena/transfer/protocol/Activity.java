package dev.verbena.transfer.protocol;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * Lets one thread that polls receivers sleep until something may have arrived. Read {@link #count()}, poll, and only if nothing
 * was there {@link #await} with that count: then nothing is missed.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe; of several waiting threads the last one is woken early, the
 * others by their timeout.
 */
public final class Activity {
    private final AtomicLong count = new AtomicLong();
    private volatile Thread waiting;

    /** Nothing has arrived yet. */
    public Activity() {}

    public long count() {
        return count.get();
    }

    public void signal() {
        count.incrementAndGet();
        Thread thread = waiting;
        if (thread != null) {
            LockSupport.unpark(thread);
        }
    }

    /** Returns when the count is no longer {@code seen}, the timeout passes, or for no reason. */
    public void await(long seen, long timeoutNs) {
        waiting = Thread.currentThread();
        if (count.get() == seen) {
            LockSupport.parkNanos(this, timeoutNs);
        }
        waiting = null;
    }
}
