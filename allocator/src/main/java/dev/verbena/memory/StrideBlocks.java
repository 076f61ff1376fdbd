package dev.verbena.memory;

import java.util.Arrays;
import java.util.stream.IntStream;

/**
 * A layout's dimensions, those that follow on one another without a gap taken together, and those of one element left out: two neighbours
 * are one block if {@code stride(i) = count(i + 1) · stride(i + 1)}. A layout without elements, or of one, has no block.
 *
 * <p><b>Owner:</b> {@link TensorLayout}. <b>Threading:</b> immutable.
 *
 * @param elementCount product of the counts; 0 if there are no elements
 * @param counts elements of each block, outermost first, each 2 or more
 * @param strides from one to the next, in elements
 */
record StrideBlocks(long elementCount, long[] counts, long[] strides) {
    static StrideBlocks of(Shape shape, long[] strides) {
        long[] counts = new long[strides.length];
        long[] steps = new long[strides.length];
        int first = strides.length;
        for (int i = strides.length - 1; i >= 0 && shape.elementCount() > 0; i--) {
            long count = shape.dimension(i);
            if (count == 1) {
                continue;
            }
            if (first < counts.length && strides[i] == counts[first] * steps[first]) {
                counts[first] *= count;
            } else {
                first--;
                counts[first] = count;
                steps[first] = strides[i];
            }
        }
        return new StrideBlocks(shape.elementCount(), Arrays.copyOfRange(counts, first, counts.length),
                Arrays.copyOfRange(steps, first, steps.length));
    }

    boolean isContiguous() {
        return counts.length == 0 || counts.length == 1 && strides[0] == 1;
    }

    /** By the strides, from the smallest: each has to lead beyond all that the smaller ones reach. */
    boolean mayOverlap() {
        long reached = 0;
        for (int block : IntStream.range(0, counts.length).boxed()
                .sorted((one, other) -> Long.compare(strides[one], strides[other])).toList()) {
            if (strides[block] <= reached) {
                return true;
            }
            reached += (counts[block] - 1) * strides[block];
        }
        return false;
    }

    /** Those of another shape of as many elements; null if a dimension of it has parts of two blocks. */
    long[] reshapedStrides(Shape shape) {
        long[] reshaped = new long[shape.rank()];
        int block = counts.length - 1;
        long taken = 1;
        for (int i = reshaped.length - 1; i >= 0 && elementCount > 0; i--) {
            if (shape.dimension(i) == 1) {
                continue;
            }
            if (taken == counts[block]) {
                block--;
                taken = 1;
            }
            reshaped[i] = taken * strides[block];
            taken *= shape.dimension(i);
            if (counts[block] % taken != 0) {
                return null;
            }
        }
        return reshaped;
    }

    /** The innermost block is a run if it is dense; else each element is one. */
    ByteRuns runs(ElementType type, long offset) {
        boolean isDense = counts.length > 0 && strides[counts.length - 1] == 1;
        int outer = isDense ? counts.length - 1 : counts.length;
        long runElements = isDense ? counts[outer] : 1;
        long[] outerStrides = Arrays.copyOf(strides, outer);
        if (type.bitSize() < Byte.SIZE) {
            requireWholeBytes(offset, runElements, outerStrides);
        }
        return elementCount == 0 ? new ByteRuns(0, 0, 0, counts, strides)
                : new ByteRuns(elementCount / runElements, type.byteSize(runElements), type.byteSize(offset),
                        Arrays.copyOf(counts, outer), Arrays.stream(outerStrides).map(type::byteSize).toArray());
    }

    private static void requireWholeBytes(long offset, long runElements, long[] outerStrides) {
        boolean isOneRun = outerStrides.length == 0;
        if (offset % 2 != 0 || !isOneRun && runElements % 2 != 0
                || Arrays.stream(outerStrides).anyMatch(stride -> stride % 2 != 0)) {
            throw new IllegalStateException("a view of INT4 that begins or ends within a byte is no piece of memory:"
                    + " offset=" + offset + " runElements=" + runElements + " strides=" + Arrays.toString(outerStrides)
                    + "; read its elements one by one");
        }
    }
}
