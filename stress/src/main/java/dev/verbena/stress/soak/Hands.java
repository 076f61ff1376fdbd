package dev.verbena.stress.soak;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** The blocks that one thread has, and leaves to the next when it dies. */
final class Hands {
    private final List<Holding> holdings = new ArrayList<>();
    private long byteSize;

    boolean isEmpty() {
        return holdings.isEmpty();
    }

    /** Of all blocks. */
    long byteSize() {
        return byteSize;
    }

    /** {@code holding} may be null. */
    void take(Holding holding) {
        if (holding != null) {
            holdings.add(holding);
            byteSize += holding.byteSize;
        }
    }

    /** Any of them, which is not here afterwards; there must be one. */
    Holding giveAny(SplittableRandom random) {
        int place = random.nextInt(holdings.size());
        Holding given = holdings.get(place);
        Holding last = holdings.removeLast();
        if (last != given) {
            holdings.set(place, last);
        }
        byteSize -= given.byteSize;
        return given;
    }

    /** Any of them; there must be one. */
    Holding any(SplittableRandom random) {
        return holdings.get(random.nextInt(holdings.size()));
    }

    /** Frees until so many bytes are left, or fewer. */
    void freeDownTo(long byteSizeMax, SplittableRandom random) {
        while (!isEmpty() && (byteSize > byteSizeMax || byteSizeMax == 0)) {
            giveAny(random).free(random);
        }
    }
}
