package dev.verbena.transfer.fabric.shm;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.ReentrantLock;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * A completion queue: asks its queue pairs in turn. It holds nothing itself, so it cannot overrun, whatever its size was said
 * to be.
 *
 * <p>Threading: confined to one poller; {@link #signal}, {@link #attach} and {@link #detach} are thread-safe.
 */
final class ShmCompletionQueue implements CompletionQueue {
    private static final ShmQueuePair[] NONE = {};

    private final ShmFabric fabric;
    private final int doorbellIndex;
    private final Doorbell doorbell;
    private final Completion completion = new Completion();

    /** Copied on change, which is rare. */
    private volatile ShmQueuePair[] queuePairs = NONE;
    private volatile boolean isOpen = true;
    /**
     * Held during a poll, so that a queue pair that is being closed is not unmapped under it. Who polls or looks for work does not wait for
     * it, which would allocate: who holds it has that done, or does not sleep.
     */
    private final ReentrantLock polling = new ReentrantLock();
    private int first;
    private long remoteEffects;

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
            if (doorbell.clear()) {
                remoteEffects++;
            }
            ShmQueuePair[] all = queuePairs;
            int count = 0;
            // Each poll begins at another one, so that a busy queue pair does not starve the others of countMax.
            first = first + 1 < all.length ? first + 1 : 0;
            for (int i = 0; i < all.length; i++) {
                int index = first + i < all.length ? first + i : first + i - all.length;
                count += all[index].poll(completion, handler, countMax - count);
            }
            return count;
        } finally {
            polling.unlock();
        }
    }

    @Override
    public long remoteEffects() {
        return remoteEffects;
    }

    @Override
    public void await(long timeoutNs) {
        isAwaiting = true;
        try {
            if (isSignaled.get() || timeoutNs <= 0 || !doorbell.prepareSleep()) {
                return;
            }
            sleep(timeoutNs);
        } finally {
            isAwaiting = false;
            // Read too, so that what was done before the signal is seen after the await.
            isSignaled.getAndSet(false);
        }
    }

    private void sleep(long timeoutNs) {
        try {
            long sleepNs = Math.min(timeoutNs, idleNsMax());
            // A signal that came before isAwaiting was set did not ring.
            if (sleepNs > 0 && !isSignaled.get()) {
                doorbell.sleep(sleepNs);
            }
        } finally {
            doorbell.endSleep();
        }
    }

    /** 0 too if somebody polls at present. */
    @Override
    public long idleNsMax() {
        if (!polling.tryLock()) {
            return 0;
        }
        try {
            checkOpen();
            long idleNs = Long.MAX_VALUE;
            for (ShmQueuePair queuePair : queuePairs) {
                idleNs = Math.min(idleNs, queuePair.idleNsMax());
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
        ShmQueuePair[] changed = Arrays.copyOf(queuePairs, queuePairs.length + 1);
        changed[queuePairs.length] = queuePair;
        queuePairs = changed;
        signal();
    }

    /** Afterwards no poll touches the queue pair any more. */
    void detach(ShmQueuePair queuePair) {
        synchronized (this) {
            queuePairs = Arrays.stream(queuePairs).filter(q -> q != queuePair).toArray(ShmQueuePair[]::new);
        }
        // Waits for the end of a poll that still has the old array, unless it is this thread's own.
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
            if (queuePairs.length != 0) {
                throw new IllegalStateException("completion queue " + doorbellIndex + " still has " + queuePairs.length
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
