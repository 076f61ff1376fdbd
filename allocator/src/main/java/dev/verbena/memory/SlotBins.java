package dev.verbena.memory;

/**
 * The runs of a heap that have a free slot, by size class, the one that got it last in front.
 *
 * <p>Invariant: a run of the heap is linked here exactly when it is not full. What {@code binPrevious} of the first one is, and the links
 * of those that are not here, means nothing.
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
        run.binNext = next;
        if (next != null) {
            next.binPrevious = run;
        }
        first[run.sizeClass()] = run;
    }

    /** A slot of the first one was taken. A move that depends on the outcome is quicker here than a branch that nobody predicts. */
    void taken(SlotRun run, int sizeClass) {
        first[sizeClass] = run.isFull() ? run.binNext : run;
    }

    void unlink(SlotRun run) {
        SlotRun next = run.binNext;
        if (first[run.sizeClass()] == run) {
            first[run.sizeClass()] = next;
        } else {
            run.binPrevious.binNext = next;
            if (next != null) {
                next.binPrevious = run.binPrevious;
            }
        }
    }

    /** How many runs of that class are linked; -1 if one is that should not be. For checks. */
    int checkedCount(ThreadHeap heap, int sizeClass) {
        int count = 0;
        SlotRun previous = null;
        for (SlotRun run = first[sizeClass]; run != null; run = run.binNext) {
            if (run.pages.use() != PageRun.Use.SLOTS || run.heap != heap || run.sizeClass() != sizeClass
                    || run.isFull() || previous != null && run.binPrevious != previous) {
                return -1;
            }
            previous = run;
            count++;
        }
        return count;
    }
}
