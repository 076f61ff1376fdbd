package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** A block by its address. */
final class HeldAddress extends Holding {
    HeldAddress(TestedArena arena, long address, long byteSize, long mark) {
        super(arena, address, byteSize, mark);
    }

    @Override
    void release(SplittableRandom random) {
        arena.arena.freeAddress(address);
    }

    /** Frees what is within the block. */
    @Override
    void misuse() {
        if (byteSize > ALIGNMENT) {
            SoakFailure.unlessRefused(() -> arena.arena.freeAddress(address + ALIGNMENT),
                    () -> "free in the middle of " + this);
        }
    }
}
