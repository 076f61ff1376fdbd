package dev.verbena.memory.heap;

import java.lang.invoke.VarHandle;

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
 * <p>What was found is remembered. A large block gets a mark, and who frees one with a mark counts that first: as long as the count is
 * what it was before the look, all that are marked are in use, and nobody looks at them. No mark reaches a run of slots, or a large
 * block of a room: they are looked at each time, each at a moment of its own. So what is shown is that no run of so many pages was free from
 * the begin of the look to its end: of what was free before, others have taken a part meanwhile.
 *
 * <p><b>Owner:</b> {@link Refusals}. <b>Threading:</b> thread-safe; for who is within a heap, so that the records stay.
 */
final class Obstacles {
    /** In a slab, at most: some microseconds. */
    private static final int COUNT_MAX = 4096;
    /** Looks for a large block, before a run of slots will do. */
    private static final int LOOKS_FOR_LARGE = 16;
    /** Those without a mark that were found for shorter runs, and more than so many times what is needed, take longer than to find others. */
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
            if (slab.pageCount / wanted > COUNT_MAX || !areWhereTheyWere(slab, wanted) && !areFound(slab, wanted)) {
                return false;
            }
        }
        return true;
    }

    private boolean areWhereTheyWere(SlabPages slab, long pages) {
        ObstacleRow known = slab.obstacles();
        if (known.gap() >= pages || known.freedCount() != central.freedObstacleCount()
                || known.unmarked().length > FEW + DENSITY_MAX * (slab.pageCount / pages)) {
            return false;
        }
        for (int i : known.unmarked()) {
            long run = RunRecord.at(slab.first, known.starts()[i]);
            if (known.starts()[i] + usedPages(run) < known.ends()[i]) {
                return false;
            }
        }
        return true;
    }

    /** Those that were known stay, as far as they can; others are, in each stretch, the last one, so that they are few. */
    private boolean areFound(SlabPages slab, long pages) {
        // First of all: who frees one behind that is seen in it.
        ObstacleRow.Builder row = new ObstacleRow.Builder(central.freedObstacleCount());
        ObstacleRow known = slab.obstacles();
        for (long begin = 0; slab.pageCount - begin >= pages; begin = row.end()) {
            int start = known.lastStart(begin, begin + pages);
            if ((start < 0 || !add(row, slab, RunRecord.at(slab.first, start), begin))
                    && !addLast(row, slab, begin, begin + pages) || row.count() > COUNT_MAX) {
                return false;
            }
        }
        slab.obstacles(row.build(slab.pageCount));
        return true;
    }

    /** A run in use that is partly between two pages. False if none is found. */
    private boolean addLast(ObstacleRow.Builder row, SlabPages slab, long begin, long end) {
        long other = 0;
        int looks = 0;
        for (long page = slab.lastEntered(begin, end); page >= begin && looks < LOOKS_FOR_LARGE;) {
            long run = SlabPages.runAt(slab.first, slab.pageMap, page << SizeClasses.PAGE_SHIFT);
            if (run != 0) {
                if (RunRecord.kind(run) == RunRecord.LARGE && add(row, slab, run, begin)) {
                    return true;
                }
                if (slab.startPage(run) + usedPages(run) > begin) {
                    other = other == 0 ? run : other;
                    looks++;
                }
                page = Math.min(page, slab.startPage(run));
            }
            page = slab.lastEntered(begin, page);
        }
        return other != 0 && add(row, slab, other, begin);
    }

    /** False if it is not in use from that page on. */
    private boolean add(ObstacleRow.Builder row, SlabPages slab, long run, long begin) {
        long marked = central.markedPages(run);
        long pages = marked != 0 ? marked : usedPages(run);
        long start = slab.startPage(run);
        if (pages == 0 || start + pages <= begin) {
            return false;
        }
        row.add(start, start + pages, marked != 0);
        return true;
    }

    /** How many pages from there on, at least, were in use at some moment of the call; 0 if none is known to be. */
    private static long usedPages(long run) {
        long owned = RunRecord.owned(run);
        boolean isInRoom = RunRecord.room(run) != RunRecord.NO_HEAP;
        // First what was returned: it is free before it is returned no more.
        long returned = RunRecord.returnedSlots(run);
        int kind = RunRecord.kindOf(owned);
        if (kind != RunRecord.SLOTS) {
            return kind == RunRecord.LARGE && (!isInRoom || returned == 0) ? 1 : 0;
        }
        VarHandle.acquireFence();
        long free = RunRecord.freeSlots(run);
        VarHandle.acquireFence();
        int slotCount = RunRecord.slotCountOf(owned);
        boolean isUsed = (free | returned) != SlotRun.allOf(slotCount) && RunRecord.owned(run) == owned;
        return isUsed ? SizeClasses.pagesOf((long) slotCount * SizeClasses.slotByteSize(RunRecord.sizeClassOf(owned)))
                : 0;
    }
}
