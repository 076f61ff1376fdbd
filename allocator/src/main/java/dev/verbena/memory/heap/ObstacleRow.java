package dev.verbena.memory.heap;

import java.util.Arrays;

/**
 * What {@link Obstacles} has found in a slab: runs in use, by their pages.
 *
 * <p><b>Owner:</b> {@link SlabPages}. <b>Threading:</b> immutable.
 *
 * @param freedCount {@link CentralHeap#freedObstacleCount} before they were looked at
 * @param starts first page of each, in order
 * @param ends page behind the last that is known to be in use
 * @param unmarked places of those without a mark
 * @param gap the most pages between two
 */
record ObstacleRow(long freedCount, int[] starts, int[] ends, int[] unmarked, long gap) {
    /** Nothing was looked for. */
    static final ObstacleRow NONE = new ObstacleRow(0, new int[0], new int[0], new int[0], Long.MAX_VALUE);

    /** Of one that is partly between two pages, the last; -1 if there is none. */
    int lastStart(long begin, long end) {
        int place = Arrays.binarySearch(starts, (int) Math.min(end - 1, Integer.MAX_VALUE));
        int last = place >= 0 ? place : -place - 2;
        return last >= 0 && ends[last] > begin ? starts[last] : -1;
    }

    /** <b>Owner:</b> who looks. <b>Threading:</b> confined. */
    static final class Builder {
        private final long freedCount;
        private int[] starts = new int[16];
        private int[] ends = new int[16];
        private int[] unmarked = new int[16];
        private int count;
        private int unmarkedCount;
        private long gap;

        Builder(long freedCount) {
            this.freedCount = freedCount;
        }

        int count() {
            return count;
        }

        /** Of the last one; 0 if there is none. */
        long end() {
            return count == 0 ? 0 : ends[count - 1];
        }

        void add(long start, long end, boolean isMarked) {
            gap = Math.max(gap, start - end());
            if (count == starts.length) {
                starts = Arrays.copyOf(starts, 2 * count);
                ends = Arrays.copyOf(ends, 2 * count);
                unmarked = Arrays.copyOf(unmarked, 2 * count);
            }
            if (!isMarked) {
                unmarked[unmarkedCount++] = count;
            }
            starts[count] = (int) start;
            ends[count] = (int) end;
            count++;
        }

        ObstacleRow build(long pageCount) {
            return new ObstacleRow(freedCount, Arrays.copyOf(starts, count), Arrays.copyOf(ends, count),
                    Arrays.copyOf(unmarked, unmarkedCount), Math.max(gap, pageCount - end()));
        }
    }
}
