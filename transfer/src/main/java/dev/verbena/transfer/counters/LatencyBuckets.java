package dev.verbena.transfer.counters;

/**
 * Which of a row's buckets counts a time: four to each doubling, so that a bucket's bounds are at most a quarter apart. Times are
 * nanoseconds.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class LatencyBuckets {
    private static final int PER_DOUBLING_BITS = 2;
    private static final int PER_DOUBLING = 1 << PER_DOUBLING_BITS;
    /** Some 18 minutes; what takes longer counts as that. */
    private static final int DOUBLINGS = 40;
    public static final int COUNT = (DOUBLINGS - PER_DOUBLING_BITS + 1) * PER_DOUBLING;

    private LatencyBuckets() {}

    /** Times below 4 have a bucket each; above, the two bits behind the highest say which quarter of the doubling. */
    public static int indexOf(long ns) {
        if (ns < PER_DOUBLING) {
            return (int) Math.max(ns, 0);
        }
        int shift = Long.SIZE - 1 - Long.numberOfLeadingZeros(ns) - PER_DOUBLING_BITS;
        return (int) Math.min((long) shift * PER_DOUBLING + (ns >>> shift), COUNT - 1);
    }

    /** The middle of what a bucket counts. */
    public static long middleOf(int index) {
        if (index < PER_DOUBLING) {
            return index;
        }
        int shift = index / PER_DOUBLING - 1;
        return ((index % PER_DOUBLING + PER_DOUBLING) * 2L + 1 << shift) / 2;
    }
}
