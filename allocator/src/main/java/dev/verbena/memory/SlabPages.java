package dev.verbena.memory;

/**
 * A slab as the arena sees it: whole pages, tiled by runs. Nothing is ever written into the slab by the arena.
 *
 * <p>Invariant: the runs from {@code first} along {@code next} cover pages 0 to {@code pageCount} exactly, and no two of them that
 * are neighbours are both free.
 *
 * <p><b>Owner:</b> its arena. <b>Threading:</b> the fields are immutable; the runs are guarded by the lock of {@link CentralHeap}.
 */
final class SlabPages {
    final Slab slab;
    /** In the order in which the arena got its slabs; part of the order of free runs. */
    final int index;
    final long pageCount;
    /** The run at page 0, always the same object: a split keeps the low part in it, a merge goes to the lower run. */
    final PageRun first;

    SlabPages(Slab slab, int index, long pageCount, PageRun first) {
        this.slab = slab;
        this.index = index;
        this.pageCount = pageCount;
        this.first = first;
        first.slab = this;
        first.startPage = 0;
        first.pageCount = pageCount;
    }

    long byteSize() {
        return pageCount * SizeClasses.PAGE_BYTE_SIZE;
    }

    boolean isTiled() {
        long page = 0;
        PageRun previous = null;
        for (PageRun run = first; run != null; run = run.next) {
            boolean fits = run.slab == this && run.startPage == page && run.pageCount > 0 && run.previous == previous
                    && run.use() != PageRun.Use.SPARE;
            boolean coalesced = previous == null || previous.use() != PageRun.Use.FREE || run.use() != PageRun.Use.FREE;
            if (!fits || !coalesced) {
                return false;
            }
            page += run.pageCount;
            previous = run;
        }
        return page == pageCount;
    }
}
