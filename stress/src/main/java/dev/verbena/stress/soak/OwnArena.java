package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** An arena that one thread makes, and that is closed by whoever finds its last block freed. */
final class OwnArena {
    private static final int BLOCKS = 100;
    private static final int LEFT_BEHIND = 8;
    static final int RETIRED_MAX = 8;
    static final long BYTE_SIZE_MAX = 2L * 1024 * 1024;

    private final Surroundings surroundings;
    private final SplittableRandom random;

    OwnArena(Surroundings surroundings, SplittableRandom random) {
        this.surroundings = surroundings;
        this.random = random;
    }

    void liveAndRetire() {
        if (surroundings.retired.size() < RETIRED_MAX) {
            surroundings.retired.add(live());
        }
        TestedArena oldest = surroundings.retired.poll();
        if (oldest != null && !close(oldest)) {
            surroundings.retired.add(oldest);
        }
    }

    private boolean close(TestedArena arena) {
        if (arena.tryClose()) {
            surroundings.closedArenas.increment();
            return true;
        }
        return false;
    }

    /** Fills it, leaves some blocks to others, frees the rest; it can't be closed before. */
    private TestedArena live() {
        TestedArena own = new TestedArena("own", surroundings.source, random.nextLong(BYTE_SIZE_MAX), BYTE_SIZE_MAX);
        Hands hands = new Hands();
        for (int i = 0; i < BLOCKS; i++) {
            hands.take(Allocation.of(own, Sizes.small(random), surroundings.marks.incrementAndGet(), random));
        }
        checkDoubleFree(own);
        SoakFailure.unless(hands.isEmpty() || !own.tryClose(),
                () -> own + " was closed while blocks of it were in use");
        for (int i = 0; i < LEFT_BEHIND && !hands.isEmpty(); i++) {
            Holding found = surroundings.shelf.swap(hands.giveAny(random), random);
            if (found != null) {
                found.free(random);
            }
        }
        hands.freeDownTo(0, random);
        return own;
    }

    /** Can be noticed only while nobody else allocates here. */
    private void checkDoubleFree(TestedArena own) {
        Holding block = Allocation.of(own, 0, 0, random);
        if (block != null) {
            block.free(random);
            SoakFailure.unlessRefused(() -> own.arena.freeAddress(block.address), () -> "double free of " + block);
        }
    }
}
