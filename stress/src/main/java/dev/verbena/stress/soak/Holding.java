package dev.verbena.stress.soak;

import java.util.SplittableRandom;

/** A block that somebody has, with its pattern. Whoever has it may free it, in whatever thread. */
abstract class Holding {
    static final long ALIGNMENT = 64;

    final TestedArena arena;
    final long address;
    final long byteSize;
    private final long mark;

    /** Fills it. */
    Holding(TestedArena arena, long address, long byteSize, long mark) {
        this.arena = arena;
        this.address = address;
        this.byteSize = byteSize;
        this.mark = mark;
        arena.gave();
        SoakFailure.unless(address % ALIGNMENT == 0, () -> this + " is not aligned");
        Pattern.fill(address, byteSize, mark);
    }

    /** The same block, held otherwise. */
    Holding(Holding other) {
        arena = other.arena;
        address = other.address;
        byteSize = other.byteSize;
        mark = other.mark;
    }

    /** Fails if somebody else wrote into it. */
    final void check() {
        long offset = Pattern.mismatch(address, byteSize, mark);
        SoakFailure.unless(offset < 0, () -> this + " was overwritten at offset=" + offset);
    }

    final void free(SplittableRandom random) {
        check();
        release(random);
        arena.gotBack();
    }

    /** Gives it back, in one of the ways there are. */
    abstract void release(SplittableRandom random);

    /** Tries what must be refused while it is held. */
    abstract void misuse();

    @Override
    public String toString() {
        return getClass().getSimpleName() + " address=0x" + Long.toHexString(address) + " byteSize=" + byteSize + " of "
                + arena;
    }
}
