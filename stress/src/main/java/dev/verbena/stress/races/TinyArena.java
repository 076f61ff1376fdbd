package dev.verbena.stress.races;

import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * Arenas for one try each, so small that a block or two fill them: what another thread frees is then the only memory there is, and both
 * threads meet in the same run.
 */
final class TinyArena {
    /** One page, and so one block that fills it. */
    static final long WHOLE = 4096;
    /** Two of them are one run. */
    static final long HALF = WHOLE / 2;
    /** Not of a size class: a run of pages of its own. */
    static final long LARGE = 128 * 1024;

    private static final int AWAITED_MAX = 5_000;
    private static final RecycledSlabs PAGES = new RecycledSlabs(WHOLE);
    private static final RecycledSlabs TWO_PAGES = new RecycledSlabs(2 * WHOLE);
    private static final RecycledSlabs LARGE_SLABS = new RecycledSlabs(LARGE);

    private TinyArena() {}

    /** Of one page. */
    static TensorArena create() {
        return TensorArena.create(PAGES, WHOLE, WHOLE);
    }

    static TensorArena createOfTwoPages() {
        return TensorArena.create(TWO_PAGES, 2 * WHOLE, 2 * WHOLE);
    }

    /** Of one large block, or many small ones. */
    static TensorArena createLarge() {
        return TensorArena.create(LARGE_SLABS, LARGE, LARGE);
    }

    /** The thread's first blocks take a lock, which those to come do not. */
    static void enter(TensorArena arena) {
        long first = arena.allocateAddress(HALF);
        arena.freeAddress(arena.allocateAddress(HALF));
        arena.freeAddress(first);
    }

    /** Null if there is no memory. */
    static Tensor tryAllocate(TensorArena arena, long byteSize) {
        return arena.tryAllocate(ElementType.UINT8, Shape.of(byteSize));
    }

    /** Whether nothing is live, nothing lost and nothing twice; it is closed then. */
    static boolean isWhole(TensorArena arena) {
        ArenaStatistics now = arena.statistics();
        boolean isWhole = arena.isConsistent() && now.liveCount() == 0 && now.liveByteSize() == 0
                && now.largestFreeRunByteSize() == now.slabByteSize();
        if (isWhole) {
            arena.close();
        }
        return isWhole;
    }

    /** Awaits what another thread hands over, but not for ever: that thread may be slow to start. */
    static long awaited(AtomicLong mailbox) {
        long found = mailbox.getAcquire();
        for (int i = 0; found == 0 && i < AWAITED_MAX; i++) {
            Thread.onSpinWait();
            found = mailbox.getAcquire();
        }
        return found;
    }
}
