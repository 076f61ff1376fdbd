package dev.verbena.memory.heap;

import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * Whether runs in use lie so close together that none of so many pages fits between them, found out while everybody goes on.
 *
 * <pre>
 *   slab   |     free     ████        free     ██   free   ███     free    |
 *          ├─── pages ───────┤                                                something is in use here,
 *                             ├─── pages ───────┤                             and from its end on, and so on,
 *                                                ├─── pages ──┤               up to the end of the slab
 * </pre>
 *
 * <p>Each is in use at the moment when it is looked at, not all at one. So what is shown is that no run of so many pages was free from the
 * begin of the look to its end: of what was free before, others have taken a part meanwhile. How long a run is, is known if the central
 * heap did not change while it was looked at; else, and in rooms, only its first page counts.
 *
 * <p><b>Owner:</b> {@link Refusals}. <b>Threading:</b> thread-safe; for who is within a heap, so that the records stay.
 */
final class Obstacles {
    /** Runs that are looked at in a slab, at most: some microseconds. */
    private static final long LOOKS_MAX = 4096;

    /** Of who waits for the central heap to be still, where a change takes a tenth of a microsecond. */
    private static final int TRIES = 16;
    /** Those that were found for shorter runs, and more than so many times what is needed, take longer to look at than to find others. */
    private static final long DENSITY_MAX = 2;
    private static final long FEW = 16;

    private final CentralHeap central;

    Obstacles(CentralHeap central) {
        this.central = central;
    }

    /** Whether no slab has so many free pages in a row, nor is idle, for sure. */
    boolean areEverywhere(long pages) {
        for (SlabPages slab : central.slabsByAddress()) {
            long wanted = Math.min(pages, slab.pageCount);
            if (slab.pageCount / wanted > LOOKS_MAX || !areWhereTheyWere(slab, wanted) && !areFound(slab, wanted)) {
                return false;
            }
        }
        return true;
    }

    private boolean areWhereTheyWere(SlabPages slab, long pages) {
        int[] known = slab.obstacles();
        if (known.length > FEW + DENSITY_MAX * (slab.pageCount / pages)) {
            return false;
        }
        long begin = 0;
        for (int page : known) {
            if (page - begin >= pages) {
                return false;
            }
            begin = Math.max(begin, usedEnd(slab, RunRecord.at(slab.first, page)));
        }
        return slab.pageCount - begin < pages;
    }

    /** In each stretch the last one, so that they are few. */
    private boolean areFound(SlabPages slab, long pages) {
        int[] found = new int[16];
        int count = 0;
        for (long begin = 0; slab.pageCount - begin >= pages;) {
            long run = lastUsed(slab, begin, begin + pages);
            long end = run == 0 ? 0 : usedEnd(slab, run);
            if (end <= begin || count > LOOKS_MAX) {
                return false;
            }
            found = count == found.length ? Arrays.copyOf(found, 2 * count) : found;
            found[count++] = (int) slab.startPage(run);
            begin = end;
        }
        slab.obstacles(Arrays.copyOf(found, count));
        return true;
    }

    /** A run in use that is partly between two pages; 0 if none is found. */
    private long lastUsed(SlabPages slab, long begin, long end) {
        for (long page = slab.lastEntered(begin, end); page >= begin; page = slab.lastEntered(begin, page)) {
            long run = SlabPages.runAt(slab.first, slab.pageMap, page << SizeClasses.PAGE_SHIFT);
            if (run != 0) {
                if (usedEnd(slab, run) > begin) {
                    return run;
                }
                page = Math.min(page, slab.startPage(run));
            }
        }
        return 0;
    }

    /** The page behind those that {@link #usedPages} tells of; 0 if there is none. */
    private long usedEnd(SlabPages slab, long run) {
        long pages = usedPages(run);
        return pages == 0 ? 0 : slab.startPage(run) + pages;
    }

    /** How many pages from there on, at least, are in use, or were at some moment of the call; 0 if none is known to be. */
    private long usedPages(long run) {
        for (int i = 1;; i++) {
            long version = central.version();
            long owned = RunRecord.owned(run);
            boolean isInRoom = RunRecord.room(run) != RunRecord.NO_HEAP;
            long pages = RunRecord.pageCount(run);
            VarHandle.acquireFence();
            if (!isUsed(run, owned, isInRoom)) {
                return 0;
            }
            VarHandle.acquireFence();
            boolean isKnown = !isInRoom && CentralHeap.isStill(version) && central.version() == version;
            if (isKnown || isInRoom || i == TRIES) {
                return isKnown ? pages : 1;
            }
            Thread.onSpinWait();
        }
    }

    private static boolean isUsed(long run, long owned, boolean isInRoom) {
        int kind = RunRecord.kindOf(owned);
        // First what was returned: it is free before it is returned no more.
        long returned = RunRecord.returnedSlots(run);
        if (kind <= RunRecord.SPARE) {
            return kind == RunRecord.LARGE && (!isInRoom || returned == 0);
        }
        VarHandle.acquireFence();
        long free = RunRecord.freeSlots(run);
        VarHandle.acquireFence();
        return (free | returned) != SlotRun.allOf(RunRecord.slotCountOf(owned)) && RunRecord.owned(run) == owned;
    }
}
