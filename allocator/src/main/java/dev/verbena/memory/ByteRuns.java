package dev.verbena.memory;

import java.util.Objects;

/**
 * Pieces of memory, all equally long, that a view's elements lie in, in the order of the elements: what a device is told to gather. A
 * contiguous view is one run.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ByteRuns {
    private final long count;
    private final long byteSize;
    private final long offset;
    private final long[] counts;
    private final long[] strides;

    /** Takes the arrays: of each dimension that the runs are counted by, outermost first; offset and strides in bytes. */
    ByteRuns(long count, long byteSize, long offset, long[] counts, long[] strides) {
        this.count = count;
        this.byteSize = byteSize;
        this.offset = offset;
        this.counts = counts;
        this.strides = strides;
    }

    /** How many; 0 if there are no elements. */
    public long count() {
        return count;
    }

    /** Bytes of each. */
    public long byteSize() {
        return byteSize;
    }

    /** Where one begins, in bytes from the tensor's first one. */
    public long byteOffset(long run) {
        long rest = Objects.checkIndex(run, count);
        long result = offset;
        for (int i = counts.length - 1; i >= 0; i--) {
            result += rest % counts[i] * strides[i];
            rest /= counts[i];
        }
        return result;
    }

    @Override
    public String toString() {
        return "runs=" + count + " of byteSize=" + byteSize;
    }
}
