package dev.verbena.memory;

import java.util.Arrays;

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
    /** Of its first byte. */
    final long address;
    private final long byteSize;
    /** By page: where the blocks of a used run may begin, the run; of a large one the first page only. Else null. */
    private final UsedRun[] runs;
    /** The run at page 0, always the same object: a split keeps the low part in it, a merge goes to the lower run. */
    final PageRun first;

    SlabPages(Slab slab, int index, long pageCount, PageRun first) {
        this.slab = slab;
        this.index = index;
        this.pageCount = pageCount;
        this.address = slab.memory().address();
        this.byteSize = pageCount * SizeClasses.PAGE_BYTE_SIZE;
        this.runs = new UsedRun[Math.toIntExact(pageCount)];
        this.first = first;
        first.place(this, 0, pageCount);
    }

    /** The run with a block that may begin at the address, which is in the slab; null if there is none. */
    UsedRun runAt(long blockAddress) {
        return runs[(int) (blockAddress - address >>> SizeClasses.PAGE_SHIFT)];
    }

    boolean contains(long blockAddress) {
        return Long.compareUnsigned(blockAddress - address, byteSize) < 0;
    }

    /** With the lock of {@link CentralHeap}: blocks begin in the run from now on. */
    void enter(PageRun run) {
        fill(run, used(run));
    }

    /** Likewise: no more. */
    void erase(PageRun run) {
        fill(run, null);
    }

    private void fill(PageRun run, UsedRun used) {
        int first = (int) run.startPage;
        Arrays.fill(runs, first, first + enteredPages(run), used);
    }

    private static UsedRun used(PageRun run) {
        return run.use() == PageRun.Use.LARGE ? run : run.slots();
    }

    /** Whether blocks begin where the run says. For checks. */
    boolean isEntered(PageRun run) {
        boolean isUsed = run.use() != PageRun.Use.FREE;
        int end = (int) run.startPage + (isUsed ? enteredPages(run) : (int) run.pageCount);
        for (int page = (int) run.startPage; page < end; page++) {
            if (runs[page] != (isUsed ? used(run) : null)) {
                return false;
            }
        }
        return true;
    }

    private static int enteredPages(PageRun run) {
        return run.use() == PageRun.Use.LARGE ? 1 : (int) run.pageCount;
    }

    long byteSize() {
        return byteSize;
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
