package dev.verbena.stress.races;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * An arena that has no room for a block until another one is freed: one thread frees that and tells so, another asks again and again.
 *
 * <p><b>Owner:</b> a race, whose arbiter closes it by {@link #isWhole}. <b>Threading:</b> {@link #free} is for one actor, {@link #ask} for the
 * other, the rest for who comes before and after them.
 */
final class AskedWhileFreed {
    /** Before it was told. */
    static final int REFUSED = 0;
    static final int FOUND = 1;
    /** Although it was told. */
    static final int REFUSED_WRONGLY = 2;

    private static final int TRIES = 30;

    private final TensorArena arena;
    private final long byteSize;
    private final long block;
    /** Live until the end; 0 if there is none. */
    private final long other;
    private final AtomicBoolean isFreed = new AtomicBoolean();
    private final Meeting meeting = new Meeting();
    private Tensor found;

    private AskedWhileFreed(TensorArena arena, long byteSize, long block, long other) {
        this.arena = arena;
        this.byteSize = byteSize;
        this.block = block;
        this.other = other;
    }

    /** The first refusal, for which everybody may be kept out, and which finds out what is in the way, is over then. */
    private AskedWhileFreed refusedOnce() {
        if (TinyArena.tryAllocate(arena, byteSize) != null) {
            throw new AssertionError("there is room for a block of byteSize=" + byteSize + " before one is freed");
        }
        return this;
    }

    /** The arena has not a byte free: the block fills it. */
    static AskedWhileFreed full(TensorArena arena, long byteSize) {
        return fullAtFirst(arena, byteSize).refusedOnce();
    }

    /** Likewise, and nobody was refused yet. */
    static AskedWhileFreed fullAtFirst(TensorArena arena, long byteSize) {
        return new AskedWhileFreed(arena, byteSize, arena.allocateAddress(byteSize), 0);
    }

    /** Half of each of two pages is free, as many bytes as are asked for. */
    static AskedWhileFreed withHoles() {
        TensorArena arena = TinyArena.createOfTwoPages();
        long[] halves = new long[4];
        for (int i = 0; i < halves.length; i++) {
            halves[i] = arena.allocateAddress(TinyArena.HALF);
        }
        arena.freeAddress(halves[1]);
        arena.freeAddress(halves[3]);
        return new AskedWhileFreed(arena, TinyArena.WHOLE, halves[0], halves[2]).refusedOnce();
    }

    void free() {
        meeting.attend();
        arena.freeAddress(block);
        isFreed.setRelease(true);
    }

    /** What came of it. */
    int ask() {
        meeting.attend();
        for (int i = 0; i < TRIES; i++) {
            boolean isTold = isFreed.getAcquire();
            found = TinyArena.tryAllocate(arena, byteSize);
            if (found != null) {
                return FOUND;
            }
            if (isTold) {
                return REFUSED_WRONGLY;
            }
        }
        return REFUSED;
    }

    boolean isWhole() {
        if (found != null) {
            found.close();
        }
        if (other != 0) {
            arena.freeAddress(other);
        }
        return TinyArena.isWhole(arena);
    }
}
