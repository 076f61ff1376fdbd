package dev.verbena.memory.heap;

import java.util.Arrays;

/**
 * The free runs by length: a {@link RunTree} for each of some nine hundred ranges, and a bit for each that says whether there is any.
 * Most trees hold a run or two, so that most operations are a few steps, each of which is a line of another page of records; the worst is
 * O(log n).
 *
 * <pre>
 *   pages     1 2 3 .. 32    33 34 .. 64   66 68 .. 128   132 .. 256   ...     32 ranges per doubling, each up to and with that length
 * </pre>
 *
 * <p>Invariants: a tree holds the runs of its range and no other; its bit is set exactly when it is not empty; {@code pageCount} and
 * {@code runCount} are the sums over all runs.
 *
 * <p><b>Owner:</b> {@link PageRuns}. <b>Threading:</b> guarded by the lock of its owner's owner.
 */
final class FreeRuns extends LinePadding {
    private static final int PADDING_LONGS = LinePadding.BYTE_SIZE / Long.BYTES;
    private static final int STEP_BITS = 5;
    private static final int RANGE_COUNT = rangeOf(Integer.MAX_VALUE) + 1;

    private final long[] used = new long[Math.ceilDiv(RANGE_COUNT, Long.SIZE)];
    /** With nothing of another thread behind them. */
    private final long[] roots = new long[RANGE_COUNT + PADDING_LONGS];
    private long pageCount;
    private long runCount;

    private static int rangeOf(long pages) {
        if (pages <= 1 << STEP_BITS) {
            return (int) pages - 1;
        }
        int exponent = Long.SIZE - 1 - Long.numberOfLeadingZeros(pages - 1);
        return (exponent - STEP_BITS + 1 << STEP_BITS) + (int) (pages - 1 >>> exponent - STEP_BITS)
                - (1 << STEP_BITS);
    }

    /** As if there were none. */
    void clear() {
        Arrays.fill(roots, 0);
        Arrays.fill(used, 0);
        pageCount = 0;
        runCount = 0;
    }

    long pageCount() {
        return pageCount;
    }

    long runCount() {
        return runCount;
    }

    void insert(long run) {
        long pages = RunRecord.pageCount(run);
        int range = rangeOf(pages);
        roots[range] = RunTree.insert(roots[range], run);
        used[range >>> 6] |= 1L << range;
        pageCount += pages;
        runCount++;
    }

    void remove(long run) {
        long pages = RunRecord.pageCount(run);
        int range = rangeOf(pages);
        roots[range] = RunTree.remove(roots[range], run);
        if (roots[range] == 0) {
            used[range >>> 6] &= ~(1L << range);
        }
        pageCount -= pages;
        runCount--;
    }

    /** The shortest run of at least so many pages, at the lowest address; 0 if there is none. */
    long bestFit(long pages) {
        if (pages > Integer.MAX_VALUE) {
            return 0;
        }
        int range = rangeOf(pages);
        long best = RunTree.bestFit(roots[range], pages);
        if (best != 0) {
            return best;
        }
        range = firstUsedFrom(range + 1);
        return range < 0 ? 0 : RunTree.bestFit(roots[range], pages);
    }

    /** The run of at least so many pages at the highest address, by looking at all of them; 0 if there is none. */
    long highest(long pages) {
        long highest = 0;
        for (int range = firstUsedFrom(rangeOf(pages)); range >= 0; range = firstUsedFrom(range + 1)) {
            highest = RunTree.higher(highest, RunTree.highest(roots[range], pages));
        }
        return highest;
    }

    private int firstUsedFrom(int range) {
        int word = range >>> 6;
        if (word >= used.length) {
            return -1;
        }
        long bits = used[word] & -1L << range;
        while (bits == 0) {
            if (++word == used.length) {
                return -1;
            }
            bits = used[word];
        }
        return (word << 6) + Long.numberOfTrailingZeros(bits);
    }

    /** Pages of the longest run; 0 if there is none. */
    long longest() {
        for (int word = used.length - 1; word >= 0; word--) {
            if (used[word] != 0) {
                int range = (word << 6) + Long.SIZE - 1 - Long.numberOfLeadingZeros(used[word]);
                return RunRecord.pageCount(RunTree.longest(roots[range]));
            }
        }
        return 0;
    }

    boolean isConsistent() {
        long[] sums = new long[2];
        for (int range = 0; range < RANGE_COUNT; range++) {
            long root = roots[range];
            boolean isUsed = (used[range >>> 6] & 1L << range) != 0;
            if (isUsed != (root != 0) || !RunTree.isConsistent(root, sums) || root != 0
                    && (rangeOf(RunRecord.pageCount(RunTree.bestFit(root, 0))) != range
                            || rangeOf(RunRecord.pageCount(RunTree.longest(root))) != range)) {
                return false;
            }
        }
        return sums[0] == pageCount && sums[1] == runCount;
    }
}
