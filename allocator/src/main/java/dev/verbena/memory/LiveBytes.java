package dev.verbena.memory;

import java.util.concurrent.atomic.AtomicLong;

/**
 * Bytes of an arena that are handed out, and the most that ever were.
 *
 * <p>Called before a block goes back and after it went out, so the sum never exceeds what is really out.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> thread-safe.
 */
final class LiveBytes {
    private final AtomicLong now = new AtomicLong();
    private final AtomicLong peak = new AtomicLong();

    void add(long byteSize) {
        long sum = now.addAndGet(byteSize);
        long seen = peak.get();
        while (sum > seen && !peak.compareAndSet(seen, sum)) {
            seen = peak.get();
        }
    }

    void subtract(long byteSize) {
        now.addAndGet(-byteSize);
    }

    long now() {
        return now.get();
    }

    long peak() {
        return peak.get();
    }
}
