package dev.verbena.training.data;

/**
 * SplitMix64: the same numbers for the same seed on every machine and under every JDK, so that every process of a cluster
 * draws the same weights, the same order of images and the same digits. {@code java.util.random} promises that for its raw
 * numbers only, not for the bounded ones drawn from them.
 *
 * <p><b>Owner:</b> whoever made it. <b>Threading:</b> confined to its owner.
 *
 * <p>Source: Steele, Lea, Flood, <i>Fast splittable pseudorandom number generators</i>, OOPSLA 2014, figure 16; Lemire,
 * <i>Fast random integer generation in an interval</i>, 2019, for the bounded numbers.
 */
public final class SeededRandom {
    private static final long GOLDEN_GAMMA = 0x9E37_79B9_7F4A_7C15L;

    /** What numbers are drawn for; the order of the constants is part of what a seed means. */
    public enum Purpose {
        /** Which images are for training and which for the test. */
        SPLIT,
        /** The order of the images in epoch {@code index}. */
        EPOCH,
        /** The initial weights of variable {@code index}. */
        WEIGHTS,
        /** How digit {@code index} is drawn. */
        DIGIT,
        /** In what order the digits of part {@code index} come. */
        DIGIT_ORDER,
        /** How images of class {@code index} look. */
        IMAGE_CLASS,
        /** How image {@code index} is drawn. */
        IMAGE,
        /** In what order the images of part {@code index} come. */
        IMAGE_ORDER
    }

    private long state;

    /** A stream of its own for each purpose and index: what is drawn for one does not shift what is drawn for another. */
    public SeededRandom(long seed, Purpose purpose, long index) {
        this(mix(mix(mix(seed + GOLDEN_GAMMA) + purpose.ordinal()) + index));
    }

    private SeededRandom(long state) {
        this.state = state;
    }

    /** The algorithm as published, for its test. */
    public static SeededRandom ofState(long state) {
        return new SeededRandom(state);
    }

    public long nextLong() {
        state += GOLDEN_GAMMA;
        return mix(state);
    }

    /** Uniform in [0, bound), up to a bias below bound / 2^32 that does not matter here. */
    public int nextInt(int bound) {
        return (int) (((nextLong() >>> 32) * bound) >>> 32);
    }

    /** Uniform in [0, 1), a multiple of 2^-24: exact as a float. */
    public float nextFloat() {
        return (nextLong() >>> 40) * 0x1.0p-24f;
    }

    /** Uniform in [from, to). */
    public float nextFloat(float from, float to) {
        return from + (to - from) * nextFloat();
    }

    /** 0 to count - 1 in random order (Fisher and Yates). */
    public int[] permutation(int count) {
        int[] order = new int[count];
        for (int i = 0; i < count; i++) {
            int j = nextInt(i + 1);
            order[i] = order[j];
            order[j] = i;
        }
        return order;
    }

    private static long mix(long z) {
        z = (z ^ (z >>> 30)) * 0xBF58_476D_1CE4_E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D0_49BB_1331_11EBL;
        return z ^ (z >>> 31);
    }
}
