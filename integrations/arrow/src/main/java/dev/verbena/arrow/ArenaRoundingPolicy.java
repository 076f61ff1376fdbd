package dev.verbena.arrow;

import org.apache.arrow.memory.rounding.RoundingPolicy;

import dev.verbena.memory.TensorArena;

/**
 * Rounds the size of a buffer up to what a block of an arena has, which is less than an eighth above 1 KiB; Arrow's own policy rounds up to a
 * power of two below 16 MiB, and so takes up to twice as much registered memory.
 *
 * <p>For {@code RootAllocator.configBuilder().roundingPolicy(..)}, beside {@link VerbenaAllocationManager#factory}. Vectors that grow by
 * themselves double what they have, whichever policy there is.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public final class ArenaRoundingPolicy implements RoundingPolicy {
    /** There is nothing to choose. */
    public static final ArenaRoundingPolicy INSTANCE = new ArenaRoundingPolicy();

    private ArenaRoundingPolicy() {}

    @Override
    public long getRoundedSize(long byteSize) {
        return TensorArena.usableByteSize(byteSize);
    }

    @Override
    public String toString() {
        return "ArenaRoundingPolicy";
    }
}
