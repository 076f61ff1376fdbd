package dev.verbena.arrow;

import java.util.concurrent.atomic.AtomicInteger;

/**
 * The batches that a writer has lent and of which its reader still has something.
 *
 * <p><b>Owner:</b> the writer. <b>Threading:</b> begun by the writer's owner; given back on any thread.
 */
final class BatchesOnLoan {
    private final int max;
    private final AtomicInteger count = new AtomicInteger();

    /** @param max at a time */
    BatchesOnLoan(int max) {
        if (max < 1) {
            throw new IllegalArgumentException("batchesMax=" + max + " must be at least 1");
        }
        this.max = max;
    }

    int count() {
        return count.get();
    }

    boolean hasRoom() {
        return count.get() < max;
    }

    /** One that its writer holds until all of it is lent. */
    Batch begin() {
        count.getAndIncrement();
        return new Batch();
    }

    /** It is back with the last of its holds. */
    final class Batch {
        private final AtomicInteger holds = new AtomicInteger(1);

        void retain() {
            holds.getAndIncrement();
        }

        void release() {
            if (holds.decrementAndGet() == 0) {
                count.getAndDecrement();
            }
        }
    }
}
