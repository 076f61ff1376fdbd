package dev.verbena.stress.soak;

import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicReferenceArray;

/** Where threads leave blocks for each other: whoever puts one down takes what lies there. */
final class Shelf {
    private static final int PLACES = 256;
    /** Large blocks would lie there for long, and many of them would be all memory. */
    static final long BYTE_SIZE_MAX = PLACES * Sizes.SMALL_BYTE_SIZE_MAX;

    private final AtomicReferenceArray<Holding> places = new AtomicReferenceArray<>(PLACES);

    /** Either may be null. */
    Holding swap(Holding given, SplittableRandom random) {
        return places.getAndSet(random.nextInt(PLACES), given);
    }

    void freeAll(SplittableRandom random) {
        for (int place = 0; place < PLACES; place++) {
            Holding left = places.getAndSet(place, null);
            if (left != null) {
                left.free(random);
            }
        }
    }
}
