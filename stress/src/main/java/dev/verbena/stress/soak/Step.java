package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** What a thread may do next, and how often of 100,000 times. */
enum Step {
    /** Takes a block, one way or another. */
    ALLOCATE(45_000),
    /** Frees one of those that it has. */
    FREE(35_000),
    /** Leaves a block to others and takes one of theirs. */
    SWAP(12_000),
    /** Closes a tensor that transfers still use. */
    CLOSE_PINNED(4_000),
    /** Does what must be refused. */
    MISUSE(3_000),
    /** Frees everything, as at the end of an iteration. */
    FREE_ALL(50),
    /** Has the arena recounted while the others go on. */
    CHECK(50),
    /** Makes an arena of its own, and tries to close one that others may still use. */
    OWN_ARENA(20),
    /** Looks at a block without freeing it. */
    LOOK(880);

    private static final int SUM = 100_000;

    private final int share;

    Step(int share) {
        this.share = share;
    }

    static Step next(SplittableRandom random) {
        int left = random.nextInt(SUM);
        for (Step step : values()) {
            left -= step.share;
            if (left < 0) {
                return step;
            }
        }
        throw new IllegalStateException("the shares of the steps sum up to less than " + SUM);
    }
}
