package dev.verbena.transfer.engine;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.locks.LockSupport;

import dev.verbena.transfer.spi.Edge;

/**
 * Lets threads sleep until something may have arrived. Read {@link #count()}, look, and only if nothing was there {@link #await} with
 * that count: then nothing is missed. Nothing is allocated by waiting.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe; a signal wakes all that wait.
 */
public final class Activity {
    private static final int PLACES = 64;
    /** For those who find no place. */
    private static final long PAUSE_NS = 1_000_000;

    private final AtomicLong count = new AtomicLong();
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicReferenceArray<Thread> places = new AtomicReferenceArray<>(PLACES);

    private final Edge edge;

    /** Nothing has arrived yet. */
    public Activity(Edge edge) {
        this.edge = edge;
    }

    public long count() {
        return count.get();
    }

    /** Who waits is counted before it looks at the count, and the count rises before this looks whether somebody waits. */
    public void signal() {
        count.incrementAndGet();
        if (waiting.get() > 0) {
            for (int i = 0; i < PLACES; i++) {
                LockSupport.unpark(places.get(i));
            }
        }
    }

    /** Returns when the count is no longer {@code seen}, the timeout passes, the thread is interrupted, or for no reason. */
    public void await(long seen, long timeoutNs) {
        int place = takePlace();
        waiting.incrementAndGet();
        if (count.get() == seen) {
            edge.park(this, place < 0 ? Math.min(timeoutNs, PAUSE_NS) : timeoutNs);
        }
        waiting.decrementAndGet();
        if (place >= 0) {
            places.set(place, null);
        }
    }

    /** @return -1 if all are taken */
    private int takePlace() {
        Thread thread = Thread.currentThread();
        for (int i = 0; i < PLACES; i++) {
            if (places.get(i) == null && places.compareAndSet(i, null, thread)) {
                return i;
            }
        }
        return -1;
    }
}
