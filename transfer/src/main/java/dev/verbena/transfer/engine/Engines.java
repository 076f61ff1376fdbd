package dev.verbena.transfer.engine;

import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

import dev.verbena.transfer.Progress;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Edge;

/**
 * The engines of a device, and waiting: the one place where threads spin, sleep and look at the clock. Where callers drive, a thread that
 * waits drives; if several wait, one sleeps on the completion queue and the others until it wakes them.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class Engines implements AutoCloseable {
    /** Without a pause, which takes 24 ns on Zen 5: what comes at once is seen sooner. */
    private static final int SPINS_AT_ONCE = 16;
    /** Before others may have the processor. */
    private static final int SPINS_ALONE = 50;
    /** Between two looks at what nobody tells of. */
    private static final long LOOK_NS = 1_000_000;

    private final Activity activity;
    private final Progress progress;
    private final Edge edge;
    /** Null where nobody wakes who sleeps when a peer has written; a driver in software does its work there while others yield. */
    private final YieldBackoff yieldBackoff;
    private final List<Engine> engines;
    private final List<Poller> pollers;
    private volatile boolean isDrivenByCallers;

    /**
     * An engine for each completion queue.
     *
     * @param name for the pollers' threads
     * @param wakesOnWrite whether the fabric tells of peers' plain writes
     */
    public Engines(String name, List<CompletionQueue> completionQueues, Progress progress, Edge edge,
            boolean wakesOnWrite) {
        this.progress = progress;
        this.edge = edge;
        yieldBackoff = wakesOnWrite ? new YieldBackoff(edge) : null;
        activity = new Activity(edge);
        engines = completionQueues.stream()
                .map(queue -> new Engine(queue, activity, !progress.byPollers(), wakesOnWrite)).toList();
        pollers = progress.byPollers()
                ? engines.stream()
                        .map(engine -> new Poller(name + "-poller-" + engines.indexOf(engine), engine,
                                progress.spins()))
                        .toList()
                : List.of();
        isDrivenByCallers = pollers.isEmpty();
    }

    /** Starts the pollers, if the device has any. */
    public void start() {
        pollers.forEach(Poller::start);
    }

    public List<Engine> all() {
        return engines;
    }

    /** The one that drives what is reported to the queue. */
    public Engine of(CompletionQueue queue) {
        return engines.stream().filter(engine -> engine.completionQueue() == queue).findFirst().orElseThrow();
    }

    /** Drives what is free, once, on the caller's thread; nothing where pollers do that. @return how much was done */
    public int progress() {
        if (!isDrivenByCallers) {
            return 0;
        }
        int work = 0;
        for (int i = 0; i < engines.size(); i++) {
            work += engines.get(i).progress();
        }
        return work;
    }

    /** As {@link #progress}, for who waits for whatever comes: {@link #activity} then counts what peers have put without telling those who poll, too. */
    public int progressWithPuts() {
        for (int i = 0; i < engines.size(); i++) {
            engines.get(i).lookForPuts();
        }
        return progress();
    }

    /** The device's clock. */
    public long nanoTime() {
        return edge.nanoTime();
    }

    /** Changes whenever something may have arrived. */
    public long activity() {
        return activity.count();
    }

    /** Something has changed that somebody may wait for. */
    public void announce() {
        activity.signal();
        // By index: whether an iterator is allocated is for the JIT to say.
        for (int i = 0; i < engines.size(); i++) {
            engines.get(i).announce();
        }
    }

    /**
     * Waits until {@link #activity} differs from {@code seen} or the timeout passes, or for no reason; at once on a thread that drives.
     */
    public void awaitActivity(long seen, long timeoutNs) {
        if (!isDrivenByCallers) {
            activity.await(seen, timeoutNs);
            return;
        }
        progressWithPuts();
        for (int spins = 0; spins < progress.spins() && activity.count() == seen && pause(spins); spins++) {
            progressWithPuts();
        }
        rest(seen, timeoutNs);
    }

    /**
     * Who has spun for some microseconds lets others have the processor, since it may be the one that is waited for that lacks one.
     *
     * @return false if others want the processor for long, so that it is time to sleep
     */
    private boolean pause(int spins) {
        if (spins < SPINS_AT_ONCE) {
            return true;
        }
        if (spins < SPINS_ALONE) {
            Thread.onSpinWait();
        } else if (yieldBackoff != null) {
            return yieldBackoff.yield();
        } else {
            Thread.yield();
        }
        return true;
    }

    private void rest(long seen, long timeoutNs) {
        if (activity.count() == seen && timeoutNs > 0 && !isDriving() && !engines.getFirst().sleep(timeoutNs, seen)) {
            activity.await(seen, timeoutNs);
        }
    }

    /**
     * Waits until the condition holds, which changes while an engine is driven, or {@linkplain Awaited without a word}.
     *
     * @return whether it holds; false when the time is up, the thread is interrupted, or it is a thread that drives
     */
    public boolean await(BooleanSupplier condition, long timeoutNs) {
        return await(condition, timeoutNs, Integer.MAX_VALUE);
    }

    /** As {@link #await(BooleanSupplier, long)}, with at most so many rounds before it sleeps. */
    public boolean await(BooleanSupplier condition, long timeoutNs, int spinsMax) {
        // Before the clock, which costs more than to find that there is nothing to wait for.
        long seen = activity.count();
        if (condition.getAsBoolean()) {
            return true;
        }
        long deadlineNs = edge.nanoTime() + timeoutNs;
        long leftNs = timeoutNs;
        while (leftNs > 0 && !isDriving() && !Thread.currentThread().isInterrupted()) {
            boolean isToLook = condition instanceof Awaited awaited && awaited.mayHoldUntold();
            long sleepNs = isToLook ? Math.min(leftNs, LOOK_NS) : leftNs;
            if (!isDrivenByCallers) {
                activity.await(seen, sleepNs);
            } else if (spin(condition, seen, Math.min(spinsMax, progress.spins()))) {
                return true;
            } else {
                rest(seen, sleepNs);
            }
            seen = activity.count();
            if (condition.getAsBoolean()) {
                return true;
            }
            leftNs = deadlineNs - edge.nanoTime();
        }
        return false;
    }

    /** Looks at the condition itself too: what a peer writes is there before the doorbell that tells of it. @return whether it holds */
    private boolean spin(BooleanSupplier condition, long seen, int spinsMax) {
        progress();
        for (int spins = 0; spins < spinsMax && activity.count() == seen && pause(spins); spins++) {
            if (condition.getAsBoolean()) {
                return true;
            }
            progress();
        }
        return false;
    }

    /** As {@link #await}, whatever interrupts; the thread is interrupted still when it returns. For what must be left in order. */
    public boolean awaitUninterruptibly(BooleanSupplier condition, long timeoutNs) {
        long deadlineNs = edge.nanoTime() + timeoutNs;
        boolean wasInterrupted = false;
        boolean isMet = await(condition, timeoutNs);
        while (!isMet && Thread.interrupted()) {
            wasInterrupted = true;
            isMet = await(condition, deadlineNs - edge.nanoTime());
        }
        if (wasInterrupted) {
            Thread.currentThread().interrupt();
        }
        return isMet;
    }

    /** Runs what waits: here, or on a thread that may wait if the caller's drives. */
    public void waitElsewhereIfDriving(Runnable waiting) {
        if (isDriving()) {
            edge.execute(waiting);
        } else {
            waiting.run();
        }
    }

    /** Whether the caller's thread drives one of them: it must not wait. */
    public boolean isDriving() {
        for (int i = 0; i < engines.size(); i++) {
            if (engines.get(i).isDriving()) {
                return true;
            }
        }
        return false;
    }

    /**
     * Waits until every engine has been driven by somebody since: then all have seen what the caller wrote before. At once on a thread that
     * drives.
     */
    public void awaitTurn(long timeoutNs) {
        AtomicInteger left = new AtomicInteger(engines.size());
        engines.forEach(engine -> engine.execute(left::decrementAndGet));
        awaitUninterruptibly(() -> left.get() == 0, timeoutNs);
    }

    /** Whether commands wait that nobody has run yet. */
    public boolean hasCommands() {
        return engines.stream().anyMatch(Engine::hasCommands);
    }

    /** Ends the pollers; whoever waits drives from now on. Idempotent. */
    public void stopPollers() {
        pollers.forEach(Poller::close);
        isDrivenByCallers = true;
    }

    /** The completion queues are not touched any more. After the queue pairs are closed. */
    @Override
    public void close() {
        stopPollers();
        engines.forEach(engine -> engine.execute(engine::stop));
    }
}
