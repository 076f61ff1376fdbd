package dev.verbena.stress.races;

import java.util.concurrent.atomic.AtomicBoolean;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/** An arena that one block fills: one thread frees it and tells so, while another asks for one again and again. */
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
    private final AtomicBoolean isFreed = new AtomicBoolean();
    private final Meeting meeting = new Meeting();
    private Tensor found;

    /** Is refused once, with everybody kept out: those refused later are not. */
    AskedWhileFreed(TensorArena arena, long byteSize) {
        this.arena = arena;
        this.byteSize = byteSize;
        block = arena.allocateAddress(byteSize);
        TinyArena.tryAllocate(arena, byteSize);
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
        return TinyArena.isWhole(arena);
    }
}
