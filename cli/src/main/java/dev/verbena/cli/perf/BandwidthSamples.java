package dev.verbena.cli.perf;

import java.util.Arrays;

/**
 * When requests were posted and completed. Without a peak only the first and the last instant are taken, so that a cheap loop is
 * not measured by an expensive clock.
 *
 * <p>Threading: confined to the command's thread.
 */
final class BandwidthSamples {
    private final long byteSize;
    private final int listSize;
    /** By the request's number: of the first of each list, and of the last of those that a completion stands for. */
    private final long[] postedNs;
    private final long[] completedNs;
    private final boolean hasPeak;
    private long count;
    private long beginNs;
    private long endNs;

    BandwidthSamples(long byteSize, long countMax, boolean hasPeak, int listSize) {
        this.byteSize = byteSize;
        this.hasPeak = hasPeak;
        this.listSize = listSize;
        postedNs = new long[hasPeak ? Math.toIntExact(countMax) : 0];
        completedNs = new long[postedNs.length];
    }

    void begin() {
        Arrays.fill(completedNs, 0);
        beginNs = System.nanoTime();
    }

    void posted(long number) {
        if (hasPeak) {
            postedNs[(int) number] = System.nanoTime();
        }
    }

    /** @param count completed in all by now */
    void completed(long count) {
        if (hasPeak) {
            completedNs[(int) count - 1] = System.nanoTime();
        }
    }

    void end(long count) {
        endNs = System.nanoTime();
        this.count = count;
    }

    BandwidthFigures figures() {
        long elapsedNs = endNs - beginNs;
        double best = hasPeak
                ? BestStretch.nsPerMessage(postedNs, completedNs, listSize, (double) elapsedNs / count)
                : 0;
        return BandwidthFigures.of(byteSize, count, elapsedNs, best);
    }
}
