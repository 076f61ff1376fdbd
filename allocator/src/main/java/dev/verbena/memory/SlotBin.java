package dev.verbena.memory;

/**
 * The runs of one size class of a heap that have a free slot, the one that got it last in front.
 *
 * <p>Invariant: a run in SLOTS is linked here exactly when {@code freeSlots != 0}.
 *
 * <p><b>Owner:</b> {@link ThreadHeap}. <b>Threading:</b> guarded by the lock of its owner.
 */
final class SlotBin {
    private PageRun first;

    /** A run with a free slot, or null. */
    PageRun first() {
        return first;
    }

    void link(PageRun run) {
        run.binPrevious = null;
        run.binNext = first;
        if (first != null) {
            first.binPrevious = run;
        }
        first = run;
    }

    /** As {@link #unlink} of the first one. */
    void unlinkFirst() {
        PageRun next = first.binNext;
        first.binNext = null;
        first = next;
        if (next != null) {
            next.binPrevious = null;
        }
    }

    void unlink(PageRun run) {
        if (run.binPrevious == null) {
            first = run.binNext;
        } else {
            run.binPrevious.binNext = run.binNext;
        }
        if (run.binNext != null) {
            run.binNext.binPrevious = run.binPrevious;
        }
        run.binPrevious = null;
        run.binNext = null;
    }

    /** How many runs are linked; -1 if one is that should not be. For checks. */
    int checkedCount(ThreadHeap heap, int sizeClass) {
        int count = 0;
        PageRun previous = null;
        for (PageRun run = first; run != null; run = run.binNext) {
            if (run.use() != PageRun.Use.SLOTS || run.heap != heap || run.sizeClass != sizeClass
                    || run.freeSlots == 0
                    || run.binPrevious != previous) {
                return -1;
            }
            previous = run;
            count++;
        }
        return count;
    }
}
