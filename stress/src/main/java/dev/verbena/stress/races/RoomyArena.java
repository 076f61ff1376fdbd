package dev.verbena.stress.races;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/**
 * One arena for all tries, with so much room that threads that meet in it are lent rooms of their own.
 *
 * <p><b>Owner:</b> the process of the harness; nobody closes it. <b>Threading:</b> thread-safe; {@link #isWhole} while nobody else is within.
 */
final class RoomyArena {
    /** A run of pages of its own. */
    static final long LARGE = 128 * 1024;
    static final TensorArena ARENA;

    private static final long BYTE_SIZE = 64L * 1024 * 1024;
    /** Two threads that come and go so often meet often enough. */
    private static final int PAIRS = 32;

    static {
        ARENA = TensorArena.create(new OffHeapSlabSource(), BYTE_SIZE, BYTE_SIZE);
    }

    private RoomyArena() {}

    /** To be done by two threads at once: each has rooms afterwards. */
    static void enter() {
        for (int i = 0; i < PAIRS; i++) {
            ARENA.freeAddress(ARENA.allocateAddress(LARGE));
        }
    }

    /** Whether all that was allocated is free, once, and one run. Ends all rooms. */
    static boolean isWhole() {
        ArenaStatistics now = ARENA.statistics();
        return ARENA.isConsistent() && now.liveCount() == 0 && now.liveByteSize() == 0
                && now.largestFreeRunByteSize() == now.slabByteSize();
    }
}
