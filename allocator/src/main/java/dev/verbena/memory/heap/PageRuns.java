package dev.verbena.memory.heap;

/**
 * Gives out runs of pages by best fit and takes them back, merging a freed run with its free neighbours at once.
 *
 * <p>Invariant: every run of every slab that is FREE is in {@code free}, and nothing else is.
 *
 * <p><b>Owner:</b> {@link CentralHeap}. <b>Threading:</b> guarded by the lock of its owner. Not final: tests break it on purpose.
 */
public class PageRuns {
    final FreeRuns free = new FreeRuns();

    /** Makes the slab one free run. */
    final void add(SlabPages slab) {
        RunRecord.pageCount(slab.first, slab.pageCount);
        RunRecord.become(slab.first, RunRecord.FREE);
        free.insert(slab.first);
    }

    /** A run of exactly so many pages, now of that kind; 0 if no free run is long enough. */
    final long take(long pages, int kind) {
        return take(free.bestFit(pages), pages, kind);
    }

    /** As {@link #take}, but 0 also if that would be cut off the longest free run. */
    final long takeSparingLongest(long pages, int kind) {
        long run = free.bestFit(pages);
        boolean isSpared = run != 0 && RunRecord.pageCount(run) > pages && RunRecord.pageCount(run) == free.longest();
        return isSpared ? 0 : take(run, pages, kind);
    }

    private long take(long run, long pages, int kind) {
        if (run == 0) {
            return 0;
        }
        free.remove(run);
        RunRecord.become(run, kind);
        if (RunRecord.pageCount(run) > pages) {
            splitOff(run, pages);
        }
        return run;
    }

    /** As {@link #take}, beginning at a multiple of the alignment, which is one of pages; what lies in front of it and behind stays free. */
    final long takeAligned(long pages, long alignment, int kind) {
        long run = free.bestFit(pages);
        if (run != 0 && RunRecord.pageCount(run) - pages < lead(run, alignment)) {
            run = free.bestFit(pages + alignment / SizeClasses.PAGE_BYTE_SIZE - 1);
        }
        long lead = run == 0 ? 0 : lead(run, alignment);
        if (lead == 0) {
            return take(run, pages, kind);
        }
        free.remove(run);
        long aligned = cutOff(run, lead);
        free.insert(run);
        RunRecord.become(aligned, RunRecord.FREE);
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

    final void give(long run) {
        RunRecord.become(run, RunRecord.FREE);
        free.insert(merge(run));
    }

    /** Frees all but the first pages of a used run. */
    void shrink(long run, long pages) {
        long rest = cutOff(run, pages);
        RunRecord.become(rest, RunRecord.FREE);
        free.insert(merge(rest));
    }

    /** Makes a used run longer at its end; false if the pages behind it are not free. */
    boolean grow(long run, long pages) {
        long next = RunRecord.after(run);
        if (!RunRecord.isFree(next) || RunRecord.pageCount(run) + RunRecord.pageCount(next) < pages) {
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
                restPages, pages);
        RunRecord.pageCount(run, pages);
        RunRecord.previousPageCount(RunRecord.after(rest), restPages);
        return rest;
    }

    /** The run, which is not in {@code free} yet, together with its free neighbours, which leave it. */
    long merge(long run) {
        long next = RunRecord.after(run);
        if (RunRecord.isFree(next)) {
            free.remove(next);
            absorb(run, next);
        }
        long previous = RunRecord.before(run);
        if (previous != run && RunRecord.isFree(previous)) {
            free.remove(previous);
            absorb(previous, run);
            return previous;
        }
        return run;
    }

    private static void absorb(long low, long high) {
        long pages = RunRecord.pageCount(low) + RunRecord.pageCount(high);
        RunRecord.previousPageCount(RunRecord.after(high), pages);
        RunRecord.pageCount(low, pages);
        RunRecord.become(high, RunRecord.SPARE);
    }
}
