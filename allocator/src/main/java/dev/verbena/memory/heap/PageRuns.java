package dev.verbena.memory.heap;

/**
 * Gives out runs of pages by best fit and takes them back, merging a freed run with its free neighbours at once, but never across a border
 * ({@link RunRecord}). Where a small one fits no short free run it is cut off the end of the long one at the highest address, and what is
 * big off the begin of the one that fits best (ADR 10):
 *
 * <pre>
 *   ├ big ┤├ big ┤├ · · · · · · long · · · · · · · ┤├ small ┤├ small ┤
 * </pre>
 *
 * <p>so that what is freed later at either side grows together with what is free between.
 *
 * <p>Invariant: every run that is FREE, of every slab but its rooms, or of these rooms, is in {@code free}, and nothing else is.
 *
 * <p><b>Owner:</b> {@link CentralHeap}, or {@link Rooms}. <b>Threading:</b> guarded by the lock of its owner. Not final: tests break it on purpose.
 */
public class PageRuns {
    /** What is less than that part of all pages is cut off the end of a long free run. */
    private static final long BIG_SHARE = 12;
    /** A free run is long from that part on; so there are few. */
    private static final long LONG_SHARE = 6;

    final FreeRuns free = new FreeRuns();
    /** Of all slabs. */
    private long pageCount;

    /** Makes the slab one free run. */
    final void add(SlabPages slab) {
        pageCount += slab.pageCount;
        RunRecord.pageCount(slab.first, slab.pageCount);
        RunRecord.become(slab.first, RunRecord.FREE);
        free.insert(slab.first);
    }

    /** Forgets the slab, which is one free run. */
    final void remove(SlabPages slab) {
        pageCount -= slab.pageCount;
        free.remove(slab.first);
    }

    /** A run of exactly so many pages, now of that kind; 0 if no free run is long enough. */
    final long take(long pages, int kind) {
        return take(fit(pages), pages, kind);
    }

    /** The free run that so many pages are to be cut off; 0 if none is long enough. */
    private long fit(long pages) {
        long run = free.bestFit(pages);
        return run != 0 && isCutAtEnd(run, pages) ? free.highest(Math.ceilDiv(pageCount, LONG_SHARE)) : run;
    }

    private boolean isCutAtEnd(long run, long pages) {
        return pages * BIG_SHARE < pageCount && RunRecord.pageCount(run) * LONG_SHARE >= pageCount;
    }

    /** As {@link #take}, but 0 also if that would be cut off the longest free run. */
    final long takeSparingLongest(long pages, int kind) {
        long run = fit(pages);
        boolean isSpared = run != 0 && RunRecord.pageCount(run) > pages && RunRecord.pageCount(run) == free.longest();
        return isSpared ? 0 : take(run, pages, kind);
    }

    private long take(long run, long pages, int kind) {
        if (run == 0) {
            return 0;
        }
        return isCutAtEnd(run, pages) ? takeEnd(run, pages, kind) : takeBegin(run, pages, kind);
    }

    private long takeBegin(long run, long pages, int kind) {
        free.remove(run);
        RunRecord.become(run, kind);
        if (RunRecord.pageCount(run) > pages) {
            splitOff(run, pages);
        }
        return run;
    }

    /** Of a longer run. */
    private long takeEnd(long run, long pages, int kind) {
        free.remove(run);
        long end = cutFront(run, RunRecord.pageCount(run) - pages);
        RunRecord.become(end, kind);
        return end;
    }

    /** As {@link #take}, beginning at a multiple of the alignment, which is one of pages; what lies in front of it and behind stays free. */
    final long takeAligned(long pages, long alignment, int kind) {
        long run = free.bestFit(pages);
        if (run != 0 && RunRecord.pageCount(run) - pages < lead(run, alignment)) {
            run = free.bestFit(pages + alignment / SizeClasses.PAGE_BYTE_SIZE - 1);
        }
        if (run == 0) {
            return 0;
        }
        long lead = lead(run, alignment);
        if (lead == 0) {
            return takeBegin(run, pages, kind);
        }
        free.remove(run);
        long aligned = cutFront(run, lead);
        RunRecord.become(aligned, kind);
        if (RunRecord.pageCount(aligned) > pages) {
            splitOff(aligned, pages);
        }
        return aligned;
    }

    /** Pages from its begin to the first multiple of the alignment. */
    private static long lead(long run, long alignment) {
        return (SizeClasses.ceil(RunRecord.address(run), alignment) - RunRecord.address(run))
                / SizeClasses.PAGE_BYTE_SIZE;
    }

    /** A free run of at least so many pages, which is nowhere then; 0 if there is none. */
    final long takeOut(long pages) {
        long run = free.bestFit(pages);
        if (run != 0) {
            free.remove(run);
        }
        return run;
    }

    /** @return the free run that it is part of now */
    final long give(long run) {
        RunRecord.become(run, RunRecord.FREE);
        return putBack(run);
    }

    /** Of a run that is FREE and nowhere. @return the free run that it is part of now */
    final long putBack(long run) {
        long merged = merge(run);
        free.insert(merged);
        return merged;
    }

    /** Of a free run that is nowhere, so many pages are free by themselves. @return the rest */
    final long cutFront(long run, long pages) {
        long rest = cutOff(run, pages);
        RunRecord.become(rest, RunRecord.FREE);
        free.insert(run);
        return rest;
    }

    /** Frees all but the first pages of a used run. */
    void shrink(long run, long pages) {
        long rest = cutOff(run, pages);
        RunRecord.become(rest, RunRecord.FREE);
        free.insert(merge(rest));
    }

    /** Makes a used run longer at its end; false if the pages behind it are not free. */
    boolean grow(long run, long pages) {
        long next = freeBehind(run);
        if (next == 0 || RunRecord.pageCount(run) + RunRecord.pageCount(next) < pages) {
            return false;
        }
        free.remove(next);
        absorb(run, next);
        if (RunRecord.pageCount(run) > pages) {
            splitOff(run, pages);
        }
        return true;
    }

    /** Leaves the first pages with the run and frees the rest, behind which nothing is free. */
    void splitOff(long run, long pages) {
        long rest = cutOff(run, pages);
        RunRecord.become(rest, RunRecord.FREE);
        free.insert(rest);
    }

    private static long cutOff(long run, long pages) {
        long rest = RunRecord.at(run, pages);
        long restPages = RunRecord.pageCount(run) - pages;
        RunRecord.place(rest, RunRecord.slab(run), RunRecord.address(run) + pages * SizeClasses.PAGE_BYTE_SIZE,
                RunRecord.room(run), restPages, pages);
        RunRecord.pageCount(run, pages);
        moveBorderBehind(run, rest);
        tellNext(rest);
        return rest;
    }

    /** The run, which is not in {@code free} yet, together with its free neighbours, which leave it. */
    long merge(long run) {
        long next = freeBehind(run);
        if (next != 0) {
            free.remove(next);
            absorb(run, next);
        }
        long previous = RunRecord.hasBorder(run, RunRecord.BORDER_BEFORE) ? run : RunRecord.before(run);
        if (previous != run && RunRecord.isFree(previous)) {
            free.remove(previous);
            absorb(previous, run);
            return previous;
        }
        return run;
    }

    /** The free run that may be merged with this one; 0 if there is none. */
    private static long freeBehind(long run) {
        if (RunRecord.hasBorder(run, RunRecord.BORDER_BEHIND)) {
            return 0;
        }
        long next = RunRecord.after(run);
        return RunRecord.isFree(next) ? next : 0;
    }

    private static void absorb(long low, long high) {
        RunRecord.pageCount(low, RunRecord.pageCount(low) + RunRecord.pageCount(high));
        moveBorderBehind(high, low);
        RunRecord.become(high, RunRecord.SPARE);
        tellNext(low);
    }

    private static void moveBorderBehind(long from, long to) {
        if (RunRecord.hasBorder(from, RunRecord.BORDER_BEHIND)) {
            RunRecord.removeBorder(from, RunRecord.BORDER_BEHIND);
            RunRecord.addBorder(to, RunRecord.BORDER_BEHIND);
        }
    }

    /** The run behind it hears how long this one is, but from within a room nobody beyond it. */
    private static void tellNext(long run) {
        if (RunRecord.room(run) == RunRecord.NO_HEAP || !RunRecord.hasBorder(run, RunRecord.BORDER_BEHIND)) {
            RunRecord.previousPageCount(RunRecord.after(run), RunRecord.pageCount(run));
        }
    }
}
