package dev.verbena.stress.races;

import dev.verbena.memory.TensorArena;
import dev.verbena.stress.Words;

/**
 * An arena that one thread closes while another takes a block of it.
 *
 * <p><b>Owner:</b> a race, whose arbiter closes it by {@link #isWhole}. <b>Threading:</b> {@link #close} is for one actor, {@link #take} for
 * the other, the rest for who comes before and after them.
 */
final class TakenWhileClosed {
    private final TensorArena arena;
    private final long byteSize;
    private final Meeting meeting = new Meeting();
    private long block;

    TakenWhileClosed(TensorArena arena, long byteSize) {
        this.arena = arena;
        this.byteSize = byteSize;
    }

    /** Whether it did. */
    boolean close() {
        meeting.attend();
        return Attempt.to(arena::close);
    }

    /** Whether it did. */
    boolean take() {
        meeting.attend();
        return Attempt.to(() -> block = arena.allocateAddress(byteSize));
    }

    boolean isWhole() {
        if (block != 0) {
            Words.set(block, block);
            arena.freeAddress(block);
        }
        return TinyArena.isWhole(arena);
    }
}
