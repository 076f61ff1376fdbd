package dev.verbena.memory.heap;

/**
 * Choices without a branch, for those on the path of a block that nobody predicts.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class Bits {
    private Bits() {}

    /** All bits set if the value is 0, else none; three instructions. */
    static long maskIf0(long value) {
        return (value - 1 & ~value) >> Long.SIZE - 1;
    }

    /** One where the mask's bits are set, the other where not. */
    static long choose(long mask, long one, long other) {
        return other ^ (one ^ other) & mask;
    }
}
