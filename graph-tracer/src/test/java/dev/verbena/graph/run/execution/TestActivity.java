package dev.verbena.graph.run.execution;

import java.util.concurrent.TimeUnit;

/** Counts, and wakes all who wait. */
public final class TestActivity implements Activity {
    private long count;

    public synchronized void signal() {
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
