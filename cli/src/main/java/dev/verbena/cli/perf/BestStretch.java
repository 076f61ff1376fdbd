package dev.verbena.cli.perf;

/**
 * The stretch of messages i..j that went fastest: the least (completed[j] - posted[i]) / (j - i + 1). perftest finds it by trying
 * all pairs. Here the present best is replaced by the stretch that beats it most, until none does (Dinkelbach's method): a few
 * passes instead of n.
 */
final class BestStretch {
    private final long[] postedNs;
    private final long[] completedNs;
    private final int listSize;

    private BestStretch(long[] postedNs, long[] completedNs, int listSize) {
        this.postedNs = postedNs;
        this.completedNs = completedNs;
        this.listSize = listSize;
    }

    /**
     * @param postedNs known of the first message of each list
     * @param completedNs 0 where no completion said so
     * @param average of all messages, to begin with
     */
    static double nsPerMessage(long[] postedNs, long[] completedNs, int listSize, double average) {
        BestStretch stretch = new BestStretch(postedNs, completedNs, listSize);
        double best = average;
        double next = stretch.improved(best);
        while (next < best) {
            best = next;
            next = stretch.improved(best);
        }
        return best;
    }

    /** Weighs a stretch i..j by completed[j] - posted[i] - best * (j - i + 1): what is below 0 is better, the lowest most so. */
    private double improved(double best) {
        long origin = postedNs[0];
        int start = 0;
        double startWeight = Double.NEGATIVE_INFINITY;
        double lowest = 0;
        double result = best;
        for (int i = 0; i < postedNs.length; i++) {
            double weight = postedNs[i] - origin - best * i;
            if (i % listSize == 0 && weight > startWeight) {
                start = i;
                startWeight = weight;
            }
            double stretch = completedNs[i] - origin - best * (i + 1) - startWeight;
            if (completedNs[i] != 0 && stretch < lowest) {
                lowest = stretch;
                result = (double) (completedNs[i] - postedNs[start]) / (i - start + 1);
            }
        }
        return result;
    }
}
