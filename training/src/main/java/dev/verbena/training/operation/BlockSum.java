package dev.verbena.training.operation;

import java.lang.foreign.MemorySegment;

import dev.verbena.graph.run.KernelContext;
import dev.verbena.training.blas.Blas;

/**
 * Sums of an operation's last inputs, added in their order. By blocks, which stay in a processor's second cache, so that each term is read from memory once
 * and the sum written once, however many there are.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> pure functions.
 */
final class BlockSum {
    /** Elements: 128 KiB. Of less, a processor's prefetching begins anew too often. */
    static final int BLOCK = 1 << 15;

    private BlockSum() {}

    /**
     * Writes the sum of a block to the beginning of {@code sum}, which may be where it lies in the first term.
     *
     * @param first of the terms among the inputs
     * @param begin of the block among their elements
     * @param count at most {@link #BLOCK}
     */
    static void write(KernelContext context, int first, long begin, long count, MemorySegment sum) {
        MemorySegment start = block(context, first, begin, count);
        if (start.address() != sum.address()) {
            MemorySegment.copy(start, 0, sum, 0, start.byteSize());
        }
        for (int i = first + 1; i < context.inputCount(); i++) {
            Blas.get().addScaled(count, 1, block(context, i, begin, count), sum);
        }
    }

    private static MemorySegment block(KernelContext context, int input, long begin, long count) {
        return context.input(input).memory().asSlice(begin * Float.BYTES, count * Float.BYTES);
    }
}
