package dev.verbena.cli;

import java.util.concurrent.Future;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;

/**
 * What time it is, and a call when some of it has passed.
 *
 * <p><b>Owner:</b> the command line. <b>Threading:</b> thread-safe.
 */
public interface Timer {
    /** Nanoseconds since some moment that does not change. */
    long nowNs();

    /**
     * Has the task run once when so long has passed, on a thread that it shares with others and must not keep.
     *
     * @return takes that back, if it has not begun
     */
    Runnable after(long delayNs, Runnable task);

    /** The machine's, with one thread that keeps no process alive. */
    static Timer ofMachine() {
        ScheduledThreadPoolExecutor thread = new ScheduledThreadPoolExecutor(1,
                Thread.ofPlatform().daemon().name("timer").factory());
        thread.setRemoveOnCancelPolicy(true);
        return new Timer() {
            @Override
            public long nowNs() {
                return System.nanoTime();
            }

            @Override
            public Runnable after(long delayNs, Runnable task) {
                Future<?> pending = thread.schedule(task, delayNs, TimeUnit.NANOSECONDS);
                return () -> pending.cancel(false);
            }
        };
    }
}
