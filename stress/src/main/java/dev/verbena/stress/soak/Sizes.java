package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** How large the blocks are: as many between 1 and 2 bytes as between 1 and 2 MiB, but for the large ones, which are rarer. */
final class Sizes {
    static final long BYTE_SIZE_MAX = 16L * 1024 * 1024;
    static final long SMALL_BYTE_SIZE_MAX = 64 * 1024;

    private static final int ZERO_SHARE = 64;
    private static final int LARGE_SHARE = 64;

    private Sizes() {}

    static long next(SplittableRandom random) {
        if (random.nextInt(ZERO_SHARE) == 0) {
            return 0;
        }
        return random.nextInt(LARGE_SHARE) == 0
                ? logUniform(random, SMALL_BYTE_SIZE_MAX + 1, BYTE_SIZE_MAX)
                : logUniform(random, 1, SMALL_BYTE_SIZE_MAX);
    }

    static long small(SplittableRandom random) {
        return logUniform(random, 1, SMALL_BYTE_SIZE_MAX);
    }

    private static long logUniform(SplittableRandom random, long min, long max) {
        double exponent = Math.log(min) + random.nextDouble() * (Math.log(max) - Math.log(min));
        return Math.clamp(Math.round(Math.exp(exponent)), min, max);
    }
}
