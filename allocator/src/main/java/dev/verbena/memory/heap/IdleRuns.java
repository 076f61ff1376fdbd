package dev.verbena.memory.heap;

/**
 * How a heap gives runs back in which nothing is live: all of it, in one place.
 *
 * <pre>
 *   when                                     which it looks at                             those in use
 *   ─────────────────────────────────────────────────────────────────────────────────────────────────────────────
 *   a run became idle, and the heap has      a few of its class: other ones each time             go behind the others
 *   more free than it keeps
 *   no hole but the longest is long          some tens, of one class after the other, from        go behind the others
 *   enough for a large block                 where it stopped the last time
 *   memory is short, or the figures are      all                                           stay
 *   to be exact; with all locked
 * </pre>
 *
 * <p>The first two are on the path of a free and of an allocation, so that their work is bounded: some microseconds. An idle run that none of
 * them gives back stays, for the next block of its class.
 *
 * <p><b>Owner:</b> {@link SlotHeap}, whose bins it looks through. <b>Threading:</b> guarded by the lock of its owner.
 */
class IdleRuns {
    /** More than one, for those found in use. */
    private static final int LOOKS_PER_IDLE_RUN = 4;
    private static final int LOOKS_FOR_ROOM = 64;

    private final SlotBins bins;
    private final SlotHeap heap;
    /** Where {@link #makeRoom} goes on. */
    private int nextClass;

    IdleRuns(SlotHeap heap, SlotBins bins) {
        this.heap = heap;
        this.bins = bins;
    }

    /** One of the bin became idle. */
    void sweep(long bin) {
        giveBack(bin, LOOKS_PER_IDLE_RUN);
    }

    /** Holes are wanted. */
    void makeRoom() {
        int left = LOOKS_FOR_ROOM;
        for (int i = 0; i < SizeClasses.COUNT && left > 0; i++) {
            left = giveBack(bins.of(nextClass), left);
            nextClass = (nextClass + 1) % SizeClasses.COUNT;
        }
    }

    /** With all locked. */
    final void giveBackAll() {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            giveBack(bins.of(sizeClass), Integer.MAX_VALUE);
            giveBackAside(bins.of(sizeClass));
        }
    }

    /** They are in front again, after those that were. */
    void giveBackAside(long bin) {
        giveBack(bin, Integer.MAX_VALUE);
    }

    /** @return how many looks are left when all in front were looked at */
    private int giveBack(long bin, int lookCount) {
        int left = lookCount;
        for (long run = SlotBins.turn(bin); run != 0 && left > 0; run = SlotBins.first(bin)) {
            SlotBins.pop(bin, run);
            if (SlotRun.isIdle(run)) {
                heap.giveBack(run);
            } else {
                SlotBins.putAside(bin, run);
            }
            left--;
        }
        SlotBins.turn(bin);
        return left;
    }
}
