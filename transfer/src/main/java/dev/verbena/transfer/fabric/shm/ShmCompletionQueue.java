package dev.verbena.transfer.fabric.shm;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * A completion queue: asks its busy queue pairs in turn, those that have something under way or that were rung for, so that a poll costs
 * by these and not by those that are connected. It holds no completions itself, so it cannot overrun, whatever its size was said to be.
 *
 * <pre>
 *          post, error, ring                       nothing left to do or to deliver, at the end of a poll
 *   idle ──────────────────────► busy, asked ──────────────────────────────────────────────────────────────► idle
 * </pre>
 *
 * <p>Threading: confined to one poller; {@link #signal}, {@link #attach} and {@link #detach} are thread-safe.
 */
final class ShmCompletionQueue implements CompletionQueue {
    private static final ShmQueuePair[] NONE = {};
    private static final int OWN_POLLS_MAX = 8;
    /** In a row, before one looks for what peers have put: their lines come from other caches. */
    private static final int IDLE_POLLS_LEAST = 64;
    /** So many more for each queue pair, so that a poll does not cost more where many are connected. */
    private static final int IDLE_POLLS_EACH = 16;

    private final ShmFabric fabric;
    private final int doorbellIndex;
    private final Doorbell doorbell;
    private final Completion completion = new Completion();

    /** By place; copied on change, which is rare. */
    private volatile ShmQueuePair[] queuePairs = NONE;
    private int queuePairCount;
    private volatile boolean isOpen = true;
    /**
     * Held during a poll, so that a queue pair that is being closed is not unmapped under it. Who polls or looks for work does not wait for
     * it, which would allocate: who holds it has that done, or does not sleep.
     */
    private final ReentrantLock polling = new ReentrantLock();
    // Changed by the poller only, who need not hold the lock to post; others that look may miss what it has just added.
    private ShmQueuePair[] busy = new ShmQueuePair[8];
    private int busyCount;
    private int first;
    private long remoteEffects;
    /** Polls in a row that found something before the doorbell was looked at. */
    private int ownPolls;
    /** Polls in a row that found nothing. */
    private int idlePolls;
    /** However few polls have found nothing. */
    private volatile boolean isToLookForPuts;

    private final AtomicBoolean isSignaled = new AtomicBoolean();
    private volatile boolean isAwaiting;

    ShmCompletionQueue(ShmFabric fabric, int doorbellIndex, Doorbell doorbell) {
        this.fabric = fabric;
        this.doorbellIndex = doorbellIndex;
        this.doorbell = doorbell;
    }

    boolean isOf(ShmFabric fabric) {
        return this.fabric == fabric;
    }

    boolean isOpen() {
        return isOpen;
    }

    int doorbellIndex() {
        return doorbellIndex;
    }

    @Override
    public int poll(CompletionHandler handler, int countMax) {
        if (!polling.tryLock()) {
            return 0;
        }
        try {
            checkOpen();
            int count = pollBusy(handler, countMax);
            idlePolls = count == 0 ? idlePolls + 1 : 0;
            if (isToLookForPuts || idlePolls >= IDLE_POLLS_LEAST + IDLE_POLLS_EACH * queuePairs.length) {
                isToLookForPuts = false;
                idlePolls = 0;
                tellOfPuts();
            }
            if (isToLook(count) && doorbell.clear()) {
                remoteEffects++;
                takeEffects();
                count += pollBusy(handler, countMax - count);
            }
            dropIdle();
            return count;
        } finally {
            polling.unlock();
        }
    }

    /**
     * The doorbell lies on a line that peers write: who waits for a request of its own does not wait for that too. It is looked at when nothing
     * else was found, and soon enough in any case.
     */
    private boolean isToLook(int count) {
        ownPolls = count == 0 || ownPolls == OWN_POLLS_MAX ? 0 : ownPolls + 1;
        return ownPolls == 0;
    }

    /** Rings for what peers have put without ringing. With the lock, so that nothing is unmapped. */
    private void tellOfPuts() {
        for (ShmQueuePair queuePair : queuePairs) {
            if (queuePair != null && !queuePair.isDetached && queuePair.hasNewPuts()) {
                doorbell.ring(queuePair.place());
            }
        }
    }

    private int pollBusy(CompletionHandler handler, int countMax) {
        int count = 0;
        int all = busyCount;
        // Each poll begins at another one, so that a busy queue pair does not starve the others of countMax.
        first = first + 1 < all ? first + 1 : 0;
        for (int i = 0; i < all; i++) {
            ShmQueuePair queuePair = busy[first + i < all ? first + i : first + i - all];
            // Null if the handler polled too.
            if (queuePair != null && !queuePair.isDetached) {
                count += queuePair.poll(completion, handler, countMax - count);
            }
        }
        return count;
    }

    private void takeEffects() {
        ShmQueuePair[] all = queuePairs;
        for (int first = 0; first < all.length; first += Long.SIZE) {
            long effects = doorbell.takeEffects(first);
            if (first == Doorbell.ALL && (effects & 1) != 0) {
                makeAllBusy();
            }
            for (; effects != 0; effects &= effects - 1) {
                int place = first + Long.numberOfTrailingZeros(effects);
                if (place < all.length && all[place] != null) {
                    makeBusy(all[place]);
                }
            }
        }
    }

    private void makeAllBusy() {
        for (ShmQueuePair queuePair : queuePairs) {
            if (queuePair != null) {
                makeBusy(queuePair);
            }
        }
    }

    /** It is asked from the next poll on, until it has nothing left. Called by the poller. */
    void makeBusy(ShmQueuePair queuePair) {
        if (queuePair.isBusy) {
            return;
        }
        queuePair.isBusy = true;
        if (busyCount == busy.length) {
            busy = Arrays.copyOf(busy, 2 * busyCount);
        }
        busy[busyCount++] = queuePair;
    }

    /** How many queue pairs the next poll asks, if nobody rings. Called by the poller. */
    int busyCount() {
        return busyCount;
    }

    private void dropIdle() {
        int kept = 0;
        for (int i = 0; i < busyCount; i++) {
            ShmQueuePair queuePair = busy[i];
            queuePair.isBusy = !queuePair.isDetached && queuePair.idleNsMax() != Long.MAX_VALUE;
            if (queuePair.isBusy) {
                busy[kept++] = queuePair;
            }
        }
        Arrays.fill(busy, kept, busyCount, null);
        busyCount = kept;
    }

    @Override
    public long remoteEffects() {
        return remoteEffects;
    }

    @Override
    public void await(long timeoutNs) {
        isAwaiting = true;
        try {
            if (timeoutNs > 0 && !isSignaled.get() && doorbell.prepareSleep()) {
                sleep(timeoutNs);
            }
        } finally {
            isAwaiting = false;
            // Read too, so that what was done before the signal is seen after the await.
            isSignaled.getAndSet(false);
        }
    }

    private void sleep(long timeoutNs) {
        try {
            long sleepNs = Math.min(timeoutNs, idleNsMax(true));
            // A signal that came before isAwaiting was set did not ring.
            if (sleepNs > 0 && !isSignaled.get()) {
                doorbell.sleep(sleepNs);
            }
        } finally {
            doorbell.endSleep();
        }
    }

    @Override
    public void lookForPuts() {
        isToLookForPuts = true;
    }

    /** 0 too if somebody polls at present. */
    @Override
    public long idleNsMax() {
        return idleNsMax(false);
    }

    /** @param isBeforeSleep then it is looked for what nobody rings for, too */
    private long idleNsMax(boolean isBeforeSleep) {
        if (!polling.tryLock()) {
            return 0;
        }
        try {
            checkOpen();
            if (isBeforeSleep) {
                tellOfPuts();
            }
            if (doorbell.isRung()) {
                return 0;
            }
            long idleNs = Long.MAX_VALUE;
            for (ShmQueuePair queuePair : busy) {
                if (queuePair != null && !queuePair.isDetached) {
                    idleNs = Math.min(idleNs, queuePair.idleNsMax());
                }
            }
            return idleNs;
        } finally {
            polling.unlock();
        }
    }

    @Override
    public void signal() {
        isSignaled.set(true);
        if (isAwaiting && isOpen) {
            doorbell.ringAndWake();
        }
    }

    synchronized void attach(ShmQueuePair queuePair) {
        checkOpen();
        ShmQueuePair[] old = queuePairs;
        int place = Doorbell.ALL + 1;
        while (place < old.length && old[place] != null) {
            place++;
        }
        if (place == Doorbell.PLACE_COUNT) {
            throw new TransferException(
                    "no more than queuePairs=" + (place - 1) + " per completion queue; make more of these");
        }
        ShmQueuePair[] changed = Arrays.copyOf(old, Math.max(old.length, place + 1));
        changed[place] = queuePair;
        queuePairs = changed;
        queuePairCount++;
        queuePair.take(place);
        // The peer may have been at work before it could know the place.
        ring(place);
        signal();
    }

    /** Something has happened to the queue pair of that place that the poller does not know of. */
    void ring(int place) {
        if (isOpen) {
            doorbell.ring(place);
        }
    }

    /** Afterwards no poll touches the queue pair any more. */
    void detach(ShmQueuePair queuePair) {
        synchronized (this) {
            if (queuePair.isDetached) {
                return;
            }
            queuePair.isDetached = true;
            if (queuePair.place() != Doorbell.ALL) {
                ShmQueuePair[] changed = queuePairs.clone();
                changed[queuePair.place()] = null;
                queuePairs = changed;
                queuePairCount--;
            }
        }
        // Waits for the end of a poll that has not seen it, unless it is this thread's own.
        polling.lock();
        polling.unlock();
    }

    private void checkOpen() {
        if (!isOpen) {
            throw new IllegalStateException("completion queue " + doorbellIndex + " is closed");
        }
    }

    @Override
    public void close() {
        synchronized (this) {
            if (!isOpen) {
                return;
            }
            if (queuePairCount != 0) {
                throw new IllegalStateException("completion queue " + doorbellIndex + " still has " + queuePairCount
                        + " queue pairs; close their connections first");
            }
            signal();
            isOpen = false;
        }
        fabric.release(this);
    }

    @Override
    public String toString() {
        return "completion queue " + doorbellIndex + " of " + fabric;
    }
}
