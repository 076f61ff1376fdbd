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
    /** By the request's number; only the first of each list, and the last of those that a completion stands for. */
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
        return BandwidthFigures.of(byteSize, count, endNs - beginNs, hasPeak ? bestNsPerMessage() : 0);
    }

    /**
     * The least (completed[j] - posted[i]) / (j - i + 1) over all i before j, which perftest finds by trying them all. Here the
     * present best is improved by the stretch that beats it most, until none does (Dinkelbach's method); one pass each.
     */
    private double bestNsPerMessage() {
        double best = (double) (endNs - beginNs) / count;
        double next = best;
        do {
            best = next;
            next = improved(best);
        } while (next < best);
        return best;
    }

    private double improved(double best) {
        double lowest = 0;
        double result = best;
        double startGain = Double.NEGATIVE_INFINITY;
        int start = 0;
        for (int i = 0; i < count; i++) {
            // A stretch i..j gains completed[j] - posted[i] - best * (j - i + 1) against the best; the lower, the better.
            double gain = postedNs[i] - beginNs - best * i;
            if (i % listSize == 0 && gain > startGain) {
                startGain = gain;
                start = i;
            }
            if (completedNs[i] != 0) {
                double stretch = completedNs[i] - beginNs - best * (i + 1) - startGain;
                if (stretch < lowest) {
                    lowest = stretch;
                    result = (double) (completedNs[i] - postedNs[start]) / (i - start + 1);
                }
            }
        }
        return result;
    }
}
