package dev.verbena.graph;

import java.util.concurrent.TimeUnit;

/** Counts, and wakes all who wait. */
final class TestActivity implements Activity {
    private long count;

    synchronized void signal() {
        count++;
        notifyAll();
    }

    @Override
    public synchronized long current() {
        return count;
    }

    @Override
    public synchronized void await(long seen, long timeoutNs) {
        try {
            if (count == seen) {
                TimeUnit.NANOSECONDS.timedWait(this, timeoutNs);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void wakeUp() {
        signal();
    }
}
