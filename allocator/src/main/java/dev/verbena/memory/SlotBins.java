package dev.verbena.memory;

/**
 * The runs of a heap that have a free slot, by size class, the one that got it last in front.
 *
 * <p>Invariant: a run of the heap is linked here exactly when it is not full.
 *
 * <p><b>Owner:</b> {@link ThreadHeap}. <b>Threading:</b> guarded by the lock of its owner.
 */
final class SlotBins {
    private final SlotRun[] first = new SlotRun[SizeClasses.COUNT];

    /** A run with a free slot of that class, or null. */
    SlotRun first(int sizeClass) {
        return first[sizeClass];
    }

    void link(SlotRun run) {
        SlotRun next = first[run.sizeClass()];
        run.binPrevious = null;
        run.binNext = next;
        if (next != null) {
            next.binPrevious = run;
        }
        first[run.sizeClass()] = run;
    }

    /** As {@link #unlink} of the first one. */
    void unlinkFirst(SlotRun run) {
        SlotRun next = run.binNext;
        run.binNext = null;
        first[run.sizeClass()] = next;
        if (next != null) {
            next.binPrevious = null;
        }
    }

    void unlink(SlotRun run) {
        if (run.binPrevious == null) {
            unlinkFirst(run);
            return;
        }
        run.binPrevious.binNext = run.binNext;
        if (run.binNext != null) {
            run.binNext.binPrevious = run.binPrevious;
        }
        run.binPrevious = null;
        run.binNext = null;
    }

    /** How many runs of that class are linked; -1 if one is that should not be. For checks. */
    int checkedCount(ThreadHeap heap, int sizeClass) {
        int count = 0;
        SlotRun previous = null;
        for (SlotRun run = first[sizeClass]; run != null; run = run.binNext) {
            if (run.pages.use() != PageRun.Use.SLOTS || run.heap != heap || run.sizeClass() != sizeClass
                    || run.isFull() || run.binPrevious != previous) {
                return -1;
            }
            previous = run;
            count++;
        }
        return count;
    }
}
