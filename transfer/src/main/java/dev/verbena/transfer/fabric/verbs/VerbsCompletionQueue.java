package dev.verbena.transfer.fabric.verbs;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.verbs.CompletionChannel;
import dev.verbena.verbs.WorkCompletions;

/**
 * A completion queue of the device, which grows with the queue pairs made on it: one that overran would be dead.
 *
 * <pre>
 * work request id   63        62    61..32                31..0
 *                  +---------+-----+---------------------+-------------------------------------------+
 *                  | receive | own | index of queue pair | low bits of the number of send or receive |
 *                  +---------+-----+---------------------+-------------------------------------------+
 *                              own: of the fabric, no user's
 * </pre>
 *
 * <p>What is left in the queue of a queue pair that was destroyed is told by its number, and passed over.
 *
 * <p>Threading: confined to one poller; {@link #signal}, {@link #attach} and {@link #detach} are thread-safe.
 */
final class VerbsCompletionQueue implements CompletionQueue {
    private static final int BATCH = 64;
    private static final long RECEIVE = 1L << 63;
    private static final long OWN = 1L << 62;
    /** Where the device does not let a queue grow, it is as large from the beginning, as far as the device goes. */
    private static final int COUNT_WITHOUT_GROWTH = 1 << 16;
    private static final long SPIN_NS = 200_000;
    private static final long NAP_NS_MIN = 50_000;
    private static final long NAP_NS_MAX = TimeUnit.MILLISECONDS.toNanos(10);
    /** A nap is so small a part of what was waited before it. */
    private static final int NAP_PART = 16;
    private static final long TICK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int EMPTY_POLLS_PER_TICK = 256;

    private final VerbsFabric fabric;
    private final dev.verbena.verbs.CompletionQueue queue;
    /** Null where an idle poller polls on. */
    private final CompletionChannel channel;
    private final Completion completion = new Completion();
    private final WorkCompletions found = new WorkCompletions(BATCH);
    private int foundNext;
    private int foundCount;

    /** By the index in work request ids; copied on change, which is rare. */
    private volatile VerbsQueuePair[] queuePairs = {};
    private volatile boolean isOpen = true;
    /** Held during a poll, so that a queue pair is not destroyed under it; practically never contended. */
    private final ReentrantLock polling = new ReentrantLock();
    /** Entries that the queue pairs on it may fill; guarded by this. */
    private int reserved;
    /** Entries that may be left of destroyed queue pairs, until the queue is seen empty; written when guarded by this. */
    private volatile int stale;

    /** Something besides the device's completions is to be looked at. */
    private volatile boolean hasNews;
    /** Queue pairs that failed and are not done yet; those that have a deadline are looked at in each tick. */
    private final List<VerbsQueuePair> troubled = new ArrayList<>();
    private int emptyPolls;
    private boolean isTickDue;

    private volatile boolean isSignaled;
    /** Null while nobody awaits. */
    private volatile Thread awaiting;

    VerbsCompletionQueue(VerbsFabric fabric, int countAsked, CompletionMode idle) {
        this.fabric = fabric;
        int countMax = Math.min(fabric.limits().completionCountMax(),
                fabric.growsCompletionQueues() ? countAsked : Math.max(countAsked, COUNT_WITHOUT_GROWTH));
        boolean sleeps = idle == CompletionMode.EVENTS;
        channel = sleeps ? fabric.context().createCompletionChannel() : null;
        try {
            queue = sleeps ? fabric.context().createCompletionQueue(countMax, channel, 0)
                    : fabric.context().createCompletionQueue(countMax);
        } catch (RuntimeException e) {
            if (sleeps) {
                channel.close();
            }
            throw e;
        }
    }

    static long workRequestId(int queuePairIndex, boolean isReceive, long number) {
        return (isReceive ? RECEIVE : 0) | (long) queuePairIndex << 32 | number & 0xffff_ffffL;
    }

    /** Of a send that is the fabric's own. */
    static long ownId(int queuePairIndex) {
        return OWN | workRequestId(queuePairIndex, false, 0);
    }

    static boolean isOwn(long workRequestId) {
        return (workRequestId & OWN) != 0;
    }

    boolean isOf(VerbsFabric fabric) {
        return this.fabric == fabric;
    }

    boolean isOpen() {
        return isOpen;
    }

    dev.verbena.verbs.CompletionQueue queue() {
        return queue;
    }

    // ---- polling ----

    @Override
    public int poll(CompletionHandler handler, int countMax) {
        if (!polling.tryLock()) {
            return 0;
        }
        try {
            checkOpen();
            if (hasNews) {
                takeNews();
            }
            int count = deliverFound(handler, countMax);
            if (!troubled.isEmpty()) {
                count += deliverTroubled(handler, countMax - count);
            }
            if (count == 0 && (isTickDue || ++emptyPolls == EMPTY_POLLS_PER_TICK)) {
                tick();
            }
            return count;
        } finally {
            polling.unlock();
        }
    }

    private int deliverFound(CompletionHandler handler, int countMax) {
        int count = 0;
        boolean isDrained = false;
        while (count < countMax && !isDrained && findMore()) {
            VerbsQueuePair queuePair = owner(foundNext);
            int index = foundNext++;
            // A batch that is not full was all there was: the device is not asked again before the next poll.
            isDrained = foundNext == foundCount && foundCount < BATCH;
            if (queuePair != null && queuePair.take(found, index, completion)) {
                count++;
                handler.onCompletion(completion);
            }
        }
        return count;
    }

    /** Whether there is a completion of the device to look at. */
    private boolean findMore() {
        if (foundNext < foundCount) {
            return true;
        }
        foundNext = 0;
        foundCount = queue.poll(found);
        if (foundCount < BATCH && stale != 0) {
            synchronized (this) {
                stale = 0;
            }
        }
        return foundCount > 0;
    }

    /** Null for one of a queue pair that is no more. */
    private VerbsQueuePair owner(int index) {
        int queuePairIndex = (int) ((found.workRequestId(index) & ~(RECEIVE | OWN)) >>> 32);
        VerbsQueuePair[] all = queuePairs;
        VerbsQueuePair queuePair = queuePairIndex < all.length ? all[queuePairIndex] : null;
        return queuePair != null && queuePair.number() == found.queuePairNumber(index) ? queuePair : null;
    }

    static boolean isReceive(long workRequestId) {
        return workRequestId < 0;
    }

    private void takeNews() {
        hasNews = false;
        for (VerbsQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                queuePair.takeNews();
            }
        }
    }

    private int deliverTroubled(CompletionHandler handler, int countMax) {
        int count = 0;
        long nowNs = System.nanoTime();
        for (int i = 0; i < troubled.size() && count < countMax; i++) {
            VerbsQueuePair queuePair = troubled.get(i);
            count += queuePair.deliverFailed(completion, handler, countMax - count, nowNs);
        }
        troubled.removeIf(queuePair -> !queuePair.isTroubled());
        return count;
    }

    /** Called by a queue pair, within a poll or a post. */
    void addTroubled(VerbsQueuePair queuePair) {
        if (!troubled.contains(queuePair)) {
            troubled.add(queuePair);
        }
    }

    /** Looks at the clock, which not every poll does. */
    private void tick() {
        isTickDue = false;
        emptyPolls = 0;
        long nowNs = System.nanoTime();
        for (VerbsQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                queuePair.tick(nowNs);
            }
        }
    }

    /** Adapters go on by themselves, except for what the fabric makes up for. */
    @Override
    public long idleNsMax() {
        long idleNs = Long.MAX_VALUE;
        if (!fabric.traits().isTold()) {
            for (VerbsQueuePair queuePair : queuePairs) {
                idleNs = queuePair == null ? idleNs : Math.min(idleNs, queuePair.idleNsMax());
            }
        }
        return idleNs;
    }

    @Override
    public long remoteEffects() {
        return 0;
    }

    // ---- sleeping ----

    @Override
    public void await(long timeoutNs) {
        awaiting = Thread.currentThread();
        try {
            if (channel == null) {
                pollOn(timeoutNs);
            } else {
                sleep(timeoutNs);
            }
        } finally {
            awaiting = null;
            isSignaled = false;
        }
    }

    private void sleep(long timeoutNs) {
        queue.requestNotification(false);
        if (timeoutNs <= 0 || isSomethingThere()) {
            return;
        }
        channel.await(isWatched() ? Math.min(timeoutNs, TICK_NS) : timeoutNs);
    }

    private void pollOn(long timeoutNs) {
        long startNs = System.nanoTime();
        long waitedNs = 0;
        while (waitedNs < timeoutNs && !isSomethingThere()) {
            if (waitedNs < SPIN_NS) {
                Thread.yield();
            } else if (isWatched()) {
                return;
            } else {
                LockSupport.parkNanos(Math.clamp(waitedNs / NAP_PART, NAP_NS_MIN, NAP_NS_MAX));
            }
            waitedNs = System.nanoTime() - startNs;
        }
    }

    private boolean isSomethingThere() {
        if (!polling.tryLock()) {
            return true;
        }
        try {
            checkOpen();
            return isSignaled || hasNews || findMore();
        } finally {
            polling.unlock();
        }
    }

    /** Whether something may become due without an event. */
    private boolean isWatched() {
        if (!polling.tryLock()) {
            return true;
        }
        try {
            boolean isWatched = !troubled.isEmpty();
            for (VerbsQueuePair queuePair : queuePairs) {
                isWatched |= queuePair != null && queuePair.isReceiverAwaited();
            }
            isTickDue = true;
            return isWatched;
        } finally {
            polling.unlock();
        }
    }

    @Override
    public void signal() {
        isSignaled = true;
        Thread sleeper = awaiting;
        if (sleeper == null) {
            return;
        }
        if (channel == null) {
            LockSupport.unpark(sleeper);
        } else if (isOpen) {
            channel.wake();
        }
    }

    /** From the control thread: a queue pair has something to look at. */
    void signalNews() {
        hasNews = true;
        signal();
    }

    // ---- queue pairs ----

    /** Makes room for what the queue pair may have outstanding. @return its index in work request ids */
    synchronized int attach(VerbsQueuePair queuePair, int entries) {
        checkOpen();
        int needed = reserved + stale + entries;
        if (needed > queue.capacity()) {
            int countMax = fabric.growsCompletionQueues() ? fabric.limits().completionCountMax() : queue.capacity();
            if (needed > countMax) {
                throw new TransferException("completion queue is full: queue pairs on it need entries=" + needed
                        + ", device " + fabric.context().name() + " has " + countMax
                        + " at most; use fewer queue pairs, a smaller queue depth, or more completion queues");
            }
            queue.resize((int) Math.min(countMax, 2L * needed));
        }
        reserved += entries;
        VerbsQueuePair[] all = queuePairs;
        int index = 0;
        while (index < all.length && all[index] != null) {
            index++;
        }
        VerbsQueuePair[] changed = Arrays.copyOf(all, Math.max(all.length, index + 1));
        changed[index] = queuePair;
        queuePairs = changed;
        return index;
    }

    /** Runs it while no poll does. */
    void betweenPolls(Runnable then) {
        polling.lock();
        try {
            then.run();
        } finally {
            polling.unlock();
        }
    }

    /** Destroys the queue pair while no poll touches it, and forgets it. */
    void detach(VerbsQueuePair queuePair, int index, int entries, Runnable destroy) {
        polling.lock();
        try {
            destroy.run();
            synchronized (this) {
                VerbsQueuePair[] changed = queuePairs.clone();
                changed[index] = null;
                queuePairs = changed;
                reserved -= entries;
                stale += entries;
            }
            troubled.remove(queuePair);
        } finally {
            polling.unlock();
        }
    }

    private void checkOpen() {
        if (!isOpen) {
            throw new IllegalStateException("completion queue of " + fabric + " is closed");
        }
    }

    @Override
    public void close() {
        polling.lock();
        try {
            if (!isOpen) {
                return;
            }
            long left = Arrays.stream(queuePairs).filter(queuePair -> queuePair != null).count();
            if (left != 0) {
                throw new IllegalStateException("completion queue of " + fabric + " still has " + left
                        + " queue pairs; close their connections first");
            }
            isOpen = false;
        } finally {
            polling.unlock();
        }
        queue.close();
        if (channel != null) {
            channel.close();
        }
        fabric.forget(this);
    }

    @Override
    public String toString() {
        return "completion queue of " + fabric;
    }
}
