package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.util.Iterator;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;

/**
 * Memory whose owner is gone. Java does not free memory that is an argument of a native call, and says nothing when the
 * call ends: such memory is freed with the next.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class UnusedMemory {
    private static final Queue<Arena> IN_CALLS = new ConcurrentLinkedQueue<>();

    private UnusedMemory() {}

    /** Frees this, and what was left of earlier ones. */
    static void free(Arena arena) {
        IN_CALLS.add(arena);
        Iterator<Arena> all = IN_CALLS.iterator();
        while (all.hasNext()) {
            if (isClosed(all.next())) {
                all.remove();
            }
        }
    }

    private static boolean isClosed(Arena arena) {
        try {
            arena.close();
        } catch (IllegalStateException inCallOrClosedByAnother) {
            return !arena.scope().isAlive();
        }
        return true;
    }
}
