package dev.verbena.transfer.engine;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

import org.jctools.queues.atomic.MpscAtomicArrayQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * A completion queue and every queue pair on it, driven by one thread at a time, any thread: who finds the engine free drives it, who
 * finds it busy leaves a command in its queue, which whoever drives runs before it leaves. So posting to a queue pair needs neither a
 * lock nor another thread, and is still done by one thread at a time ({@code ibv_post_send(3)}).
 *
 * <pre>
 *            execute, progress                  the queue is empty
 *   free ────────────────────► driven by one ────────────────────► free
 *                                │     ▲ commands, completions
 *                                └─────┘
 * </pre>
 *
 * <p>No command is left lying: who queues one looks afterwards whether the engine is free, who leaves looks afterwards whether the queue
 * is empty; both by sequentially consistent operations, so one of the two sees the other.
 *
 * <p><b>Owner:</b> {@link Engines}. <b>Threading:</b> thread-safe, except for what says "while driving".
 */
public final class Engine {
    private static final Logger LOG = LoggerFactory.getLogger(Engine.class);
    private static final VarHandle DRIVER;
    static final long ANY_ACTIVITY = -1;
    private static final long NAP_NS_MIN = 20_000;
    private static final long NAP_NS_MAX = 1_000_000;
    /** Between two looks at what the fabric does not tell of. */
    private static final long LOOK_NS = 50_000;
    private static final int COMMANDS_MAX = 4096;
    private static final int BATCH_MAX = 64;

    static {
        try {
            DRIVER = MethodHandles.lookup().findVarHandle(Engine.class, "driver", Thread.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    private final CompletionQueue completionQueue;
    private final Activity activity;
    /** Whether who has started something sees it through as far as it goes, since perhaps nobody drives afterwards. */
    private final boolean isSeenThrough;
    /** Whether the fabric tells of peers' plain writes; if not, watches look for them each time. */
    private final boolean wakesOnWrite;
    private final MpscAtomicArrayQueue<Runnable> commands = new MpscAtomicArrayQueue<>(COMMANDS_MAX);
    /** For which nobody waits. */
    private final MpscAtomicArrayQueue<Runnable> postponed = new MpscAtomicArrayQueue<>(COMMANDS_MAX);
    private final CompletionHandler handler = this::onCompletion;
    /** Null while nobody drives. */
    private volatile Thread driver;
    /** Whether somebody sleeps on the completion queue, or is about to; one at a time. */
    private final AtomicBoolean isAsleep = new AtomicBoolean();
    /** Whether who sleeps wants to know of what others find. */
    private volatile boolean isCurious;

    // Written while driving.
    private final List<EngineQueuePair> queuePairs = new ArrayList<>();
    private final List<Watch> watches = new ArrayList<>();
    private volatile boolean hasWatches;
    private volatile boolean isStopped;
    private long seenEffects;
    /** Whether something came in a posted receive in this poll; the fabric may have told of its effect before. */
    private boolean hasReceived;
    /** Of virtual threads; written while asleep, or when something was found. */
    private volatile long napNs = NAP_NS_MIN;
    /** Requests handed over and not yet done. */
    private int outstanding;

    Engine(CompletionQueue completionQueue, Activity activity, boolean isSeenThrough, boolean wakesOnWrite) {
        this.isSeenThrough = isSeenThrough;
        this.wakesOnWrite = wakesOnWrite;
        this.completionQueue = completionQueue;
        this.activity = activity;
    }

    public CompletionQueue completionQueue() {
        return completionQueue;
    }

    /** Whether the caller's thread drives it at present. */
    public boolean isDriving() {
        return driver == Thread.currentThread();
    }

    /** Runs the command while driving: now if the engine is free or the caller drives it already, else soon, on who drives it. */
    public void execute(Runnable command) {
        if (isDriving()) {
            run(command);
        } else if (tryEnter()) {
            try {
                // First what has come before.
                runCommands();
                run(command);
                driveThrough();
            } finally {
                leave();
            }
            driveIfCommanded();
        } else {
            queue(command);
            driveIfCommanded();
        }
    }

    /**
     * Leaves the command to who drives next: for threads that must not drive, such as a fabric's control thread. It drives only to make
     * room when the queue is full.
     */
    public void enqueue(Runnable command) {
        queue(command);
        if (isAsleep.get()) {
            completionQueue.signal();
        }
    }

    /**
     * Leaves the command to who drives next, which may be this thread with something that is more urgent: it is run behind that. Soon where
     * pollers drive.
     */
    public void postpone(Runnable command) {
        if (!isSeenThrough || !postponed.offer(command)) {
            execute(command);
        }
    }

    private void queue(Runnable command) {
        while (!commands.offer(command)) {
            if (progress() == 0) {
                Thread.onSpinWait();
            }
        }
    }

    /**
     * Drives once, if the engine is free.
     *
     * @return how much was done: commands and completions
     */
    public int progress() {
        if (driver != null || !tryEnter()) {
            return 0;
        }
        int work;
        try {
            work = drive();
        } finally {
            leave();
        }
        driveIfCommanded();
        return work;
    }

    private void driveIfCommanded() {
        while (!commands.isEmpty() && tryEnter()) {
            try {
                driveThrough();
            } finally {
                leave();
            }
        }
    }

    private void driveThrough() {
        drive();
        while (isSeenThrough && outstanding > 0 && !isStopped && completionQueue.idleNsMax() == 0) {
            drive();
        }
    }

    private boolean tryEnter() {
        return DRIVER.compareAndSet(this, (Thread) null, Thread.currentThread());
    }

    private void leave() {
        boolean mustGoOn = isAsleep.get() && !isStopped && completionQueue.idleNsMax() != Long.MAX_VALUE;
        driver = null;
        if (mustGoOn) {
            completionQueue.signal();
        }
    }

    private int drive() {
        int work = runCommands();
        if (isStopped) {
            return work;
        }
        hasReceived = false;
        int completions = completionQueue.poll(handler, BATCH_MAX);
        long effects = completionQueue.remoteEffects();
        boolean isPeers = hasReceived || effects != seenEffects;
        if (isPeers || !wakesOnWrite) {
            lookAtWatches();
        }
        if (isPeers || completions > 0) {
            seenEffects = effects;
            if (napNs != NAP_NS_MIN) {
                napNs = NAP_NS_MIN;
            }
            announce();
        }
        if (!postponed.isEmpty()) {
            postponed.drain(Engine::run, COMMANDS_MAX);
        }
        return work + completions;
    }

    private int runCommands() {
        return commands.isEmpty() ? 0 : commands.drain(Engine::run, COMMANDS_MAX);
    }

    private void lookAtWatches() {
        if (watches.isEmpty()) {
            return;
        }
        for (int i = 0; i < watches.size();) {
            if (isToStay(watches.get(i))) {
                i++;
            } else {
                Watch last = watches.removeLast();
                if (i < watches.size()) {
                    watches.set(i, last);
                }
            }
        }
        if (watches.isEmpty()) {
            hasWatches = false;
        }
    }

    private static boolean isToStay(Watch watch) {
        try {
            return watch.look();
        } catch (Throwable e) {
            LOG.error("a watch failed: {}", watch, e);
            return false;
        }
    }

    private static void run(Runnable command) {
        try {
            command.run();
        } catch (Throwable e) {
            LOG.error("a command failed: {}", command, e);
        }
    }

    private void onCompletion(Completion completion) {
        hasReceived |= EngineQueuePair.isReceive(completion.workRequestId);
        queuePairs.get(EngineQueuePair.queuePairIndex(completion.workRequestId)).onCompletion(completion);
    }

    /** Something may have arrived: ends the waiting of all. */
    void announce() {
        activity.signal();
        if (isCurious && isAsleep.get() && !isStopped) {
            completionQueue.signal();
        }
    }

    /**
     * Sleeps until the fabric has something, a command has come, or the time is up; may return early for no reason. Returns at once if
     * somebody else sleeps here, or there is nothing any more that could wake anybody.
     *
     * @param seenActivity ends the sleep too when it is no longer the activity's count; {@link #ANY_ACTIVITY} for who does not care
     * @return whether this thread was the one that slept
     */
    boolean sleep(long timeoutNs, long seenActivity) {
        if (isStopped || isAsleep.get() || !isAsleep.compareAndSet(false, true)) {
            return false;
        }
        try {
            isCurious = seenActivity != ANY_ACTIVITY;
            if (!isStopped && (!isCurious || activity.count() == seenActivity)) {
                long sleepNs = hasWatches && !wakesOnWrite ? Math.min(timeoutNs, LOOK_NS) : timeoutNs;
                if (Thread.currentThread().isVirtual()) {
                    nap(sleepNs);
                } else if (!hasCommands()) {
                    completionQueue.await(sleepNs);
                }
            }
        } finally {
            isAsleep.set(false);
            // Those who have waited beside it: one of them sleeps here next.
            activity.signal();
        }
        return true;
    }

    /**
     * In the kernel a virtual thread would keep its carrier from all others: so it looks again and again, ever more rarely. Commands that wait do
     * not keep it awake if another thread drives: that may be a virtual thread without a carrier, since those that only yield to each other
     * share theirs with nobody.
     */
    private void nap(long timeoutNs) {
        if (!hasCommands() || driver != null) {
            LockSupport.parkNanos(this, Math.min(timeoutNs, napNs));
            completionQueue.lookForPuts();
            napNs = Math.min(2 * napNs, NAP_NS_MAX);
        }
    }

    /** The next turn tells of whatever has come. */
    void lookForPuts() {
        completionQueue.lookForPuts();
    }

    /** Ends a present or the next sleep. */
    void wake() {
        if (!isStopped) {
            completionQueue.signal();
        }
    }

    /** Whether commands wait that nobody has run yet. */
    boolean hasCommands() {
        return !commands.isEmpty() || !postponed.isEmpty();
    }

    // ---- while driving ----

    /** Looks now, and from now on whenever a peer may have written something, as long as the watch says so. */
    public void watch(Watch watch) {
        if (isToStay(watch)) {
            watches.add(watch);
            hasWatches = true;
        }
    }

    /** Takes charge of a queue pair, before anything is submitted to it. @return its index */
    int adopt(EngineQueuePair queuePair) {
        int index = queuePairs.indexOf(null);
        if (index < 0) {
            queuePairs.add(queuePair);
            return queuePairs.size() - 1;
        }
        queuePairs.set(index, queuePair);
        return index;
    }

    /** Forgets a queue pair that is closed, so that no completion names it any more. */
    void release(int index) {
        queuePairs.set(index, null);
    }

    void onSubmitted() {
        outstanding++;
    }

    void onEnded() {
        outstanding--;
    }

    /** The completion queue is not touched any more; commands still run. */
    void stop() {
        isStopped = true;
    }
}
