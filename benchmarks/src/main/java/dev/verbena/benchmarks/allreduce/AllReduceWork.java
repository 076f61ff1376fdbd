package dev.verbena.benchmarks.allreduce;

import java.util.List;

/**
 * All-reduces of tensors of these sizes, by so many members.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record AllReduceWork(int members, List<Long> byteSizes, boolean isQuick) {
    private static final long BYTES = 1L << 30;
    private static final int COUNT_MAX = 1000;
    private static final int QUICK_COUNT = 10;

    /** How many are measured; as many are done before. Fewer of large ones. */
    int count(long byteSize) {
        return isQuick ? QUICK_COUNT : (int) Math.min(COUNT_MAX, BYTES / byteSize);
    }
}
