package dev.verbena.memory.heap;

/**
 * Choices without a branch, for those on the path of a block that nobody predicts.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Bits {
    private Bits() {}

    /** All bits set unless the value is 0. */
    static long maskIfNot0(long value) {
        return (value | -value) >> Long.SIZE - 1;
    }

    /** One where the mask's bits are set, the other where not. */
    static long choose(long mask, long one, long other) {
        return other ^ (one ^ other) & mask;
    }
}
