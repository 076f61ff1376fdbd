package dev.verbena.cli;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Time that passes when a test says so.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> thread-safe.
 */
public final class ManualTimer implements Timer {
    private record Pending(long dueNs, Runnable task) {}

    private final List<Pending> pending = new ArrayList<>();
    private long nowNs = Long.MAX_VALUE - 1_000_000_000; // The clock of a JVM may overflow at any time.

    @Override
    public synchronized long nowNs() {
        return nowNs;
    }

    @Override
    public synchronized Runnable after(long delayNs, Runnable task) {
        Pending added = new Pending(nowNs + delayNs, task);
        pending.add(added);
        return () -> remove(added);
    }

    private synchronized void remove(Pending one) {
        pending.remove(one);
    }

    /** Runs all that falls due meanwhile, on the caller's thread, each at its time. */
    public void advance(long ns) {
        long endNs = nowNs() + ns;
        for (Pending next = takeDue(endNs); next != null; next = takeDue(endNs)) {
            next.task.run();
        }
    }

    private synchronized Pending takeDue(long endNs) {
        Pending next = pending.stream().min(Comparator.comparingLong(each -> each.dueNs - nowNs)).orElse(null);
        if (next == null || next.dueNs - endNs > 0) {
            nowNs = endNs;
            return null;
        }
        nowNs = next.dueNs;
        pending.remove(next);
        return next;
    }

    /** Tasks that wait for their time. */
    public synchronized int pendingCount() {
        return pending.size();
    }
}
