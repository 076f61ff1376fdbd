package dev.verbena.memory;

/**
 * Gives out runs of pages by best fit and takes them back, merging a freed run with its free neighbours at once.
 *
 * <p>Invariant: every run of every slab that is FREE is in the tree, and nothing else is.
 *
 * <p><b>Owner:</b> {@link CentralHeap}. <b>Threading:</b> guarded by the lock of its owner. Not final: tests break it on purpose.
 */
class PageRuns {
    final RunTree free = new RunTree();
    private PageRun spares;

    /** Makes a slab one free run. */
    final SlabPages add(Slab slab, int index, long pageCount) {
        SlabPages pages = new SlabPages(slab, index, pageCount, spare());
        pages.first.become(PageRun.Use.FREE);
        free.insert(pages.first);
        return pages;
    }

    /** A run of exactly so many pages, now in {@code use}; null if no free run is long enough. */
    final PageRun take(long pages, PageRun.Use use) {
        PageRun run = free.bestFit(pages);
        if (run == null) {
            return null;
        }
        free.remove(run);
        run.become(use);
        if (run.pageCount > pages) {
            splitOff(run, pages);
        }
        return run;
    }

    final void give(PageRun run) {
        run.become(PageRun.Use.FREE);
        PageRun merged = merge(run);
        free.insert(merged);
    }

    /** Leaves the first pages with the run and frees the rest. */
    void splitOff(PageRun run, long pages) {
        PageRun rest = spare();
        rest.place(run.slab, run.startPage + pages, run.pageCount - pages);
        run.pageCount = pages;
        rest.previous = run;
        rest.next = run.next;
        run.next = rest;
        if (rest.next != null) {
            rest.next.previous = rest;
        }
        rest.become(PageRun.Use.FREE);
        free.insert(rest);
    }

    /** The run, which is not in the tree yet, together with its free neighbours, which leave it. */
    PageRun merge(PageRun run) {
        PageRun low = run;
        PageRun next = run.next;
        if (next != null && next.use() == PageRun.Use.FREE) {
            free.remove(next);
            absorb(run, next);
        }
        PageRun previous = run.previous;
        if (previous != null && previous.use() == PageRun.Use.FREE) {
            free.remove(previous);
            absorb(previous, run);
            low = previous;
        }
        return low;
    }

    private void absorb(PageRun low, PageRun high) {
        low.pageCount += high.pageCount;
        low.next = high.next;
        if (low.next != null) {
            low.next.previous = low;
        }
        high.become(PageRun.Use.SPARE);
        high.slab = null;
        high.previous = null;
        high.next = null;
        high.left = spares;
        spares = high;
    }

    /** An object that stands for nothing yet; as many are made as there ever were runs at a time. */
    final PageRun spare() {
        PageRun run = spares;
        if (run == null) {
            return new PageRun();
        }
        spares = run.left;
        run.left = null;
        return run;
    }
}
