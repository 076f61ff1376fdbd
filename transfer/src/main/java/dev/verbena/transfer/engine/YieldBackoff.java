package dev.verbena.transfer.engine;

import dev.verbena.transfer.spi.Edge;

/**
 * Says of a thread that waits whether to yield the processor and look again, or to sleep. To yield is the faster where a processor is free. Where
 * somebody computes on it, who yields is back when that one's slice is over, though what it waits for has been there for a millisecond, while
 * who sleeps is woken into the midst of the slice. So once a yield has taken long, who waits sleeps for a while; the longer, the more often that
 * happens.
 *
 * <p><b>Owner:</b> {@link Engines}. <b>Threading:</b> thread-safe; what one thread does not see of another yet costs a yield.
 */
final class YieldBackoff {
    /** Somebody has computed meanwhile: alone a yield takes half a microsecond, with another thread that yields a few. */
    private static final long TAKEN_NS = 50_000;
    private static final long BACKOFF_NS_MIN = 1_000_000;
    private static final long BACKOFF_NS_MAX = 32_000_000;
    /** As many times the backoff without a long yield, and it begins anew. */
    private static final int FORGOTTEN_AFTER = 8;

    private final Edge edge;
    /** When the last long yield was over; at first, when all began. */
    private volatile long takenNs;
    /** From then on nobody yields; 0 before the first. */
    private volatile long backoffNs;

    YieldBackoff(Edge edge) {
        this.edge = edge;
        takenNs = edge.nanoTime();
    }

    /** Yields. @return false if it has not, since the caller had better sleep */
    boolean yield() {
        long beginNs = edge.nanoTime();
        if (beginNs - takenNs < backoffNs) {
            return false;
        }
        Thread.yield();
        long endNs = edge.nanoTime();
        if (endNs - beginNs >= TAKEN_NS) {
            onTaken(endNs);
        }
        return true;
    }

    private void onTaken(long nowNs) {
        long backoff = backoffNs;
        boolean isForgotten = nowNs - takenNs > FORGOTTEN_AFTER * backoff;
        takenNs = nowNs;
        backoffNs = isForgotten ? BACKOFF_NS_MIN : Math.min(2 * backoff, BACKOFF_NS_MAX);
    }
}
