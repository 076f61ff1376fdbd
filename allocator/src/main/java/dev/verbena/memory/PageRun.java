package dev.verbena.memory;

/**
 * Consecutive pages of one slab that are used, or free, together. The runs of a slab tile it without gap or overlap, linked in
 * address order:
 *
 * <pre>
 *   slab   |  run (slots)  |        run (large)         |            run (free)             |
 *   page   0               3                            9                                  64
 *          previous ◄── ──► next      previous ◄── ──► next
 * </pre>
 *
 * <p>Invariant: no two neighbours are FREE.
 *
 * <p><b>Owner:</b> {@link PageRuns}, which recycles the objects. <b>Threading:</b> guarded by the lock of {@link CentralHeap}; whoever holds
 * a block of the run may read {@code use}, {@code slab} and {@code address}, which don't change meanwhile.
 */
final class PageRun extends UsedRun {
    /** What a run is used for. */
    enum Use {
        /** The object stands for no pages and waits to be used again. */
        SPARE,
        /** Its pages are free and in the tree. */
        FREE,
        /** It is one block. */
        LARGE,
        /** It is carved into slots of one size class. */
        SLOTS;

        /** The legal moves: SPARE → FREE (new slab, split) → LARGE or SLOTS → FREE (freed) → SPARE (merged). */
        boolean mayBecome(Use next) {
            return switch (this) {
                case SPARE, LARGE, SLOTS -> next == FREE;
                case FREE -> next != FREE;
            };
        }
    }

    SlabPages slab;
    /** Of its first byte. */
    long address;
    long startPage;
    long pageCount;
    /** Neighbours by address in the slab; null at its ends. */
    PageRun previous;
    PageRun next;

    /** Links of {@link RunTree}; {@code left} also links the spares. */
    PageRun left;
    PageRun right;
    int height;

    /** Kept from the first time in SLOTS on; of account in SLOTS. */
    private SlotRun slots;
    /** Link of {@link ReturnedRuns}. */
    SlotRun returnedNext;

    private Use use = Use.SPARE;

    Use use() {
        return use;
    }

    void become(Use next) {
        if (!use.mayBecome(next)) {
            throw new IllegalStateException("run cannot go from " + use + " to " + next + ": " + this);
        }
        use = next;
    }

    void place(SlabPages slab, long startPage, long pageCount) {
        this.slab = slab;
        this.startPage = startPage;
        this.pageCount = pageCount;
        address = slab.address + offset();
    }

    /** Bytes from the start of the slab. */
    long offset() {
        return startPage * SizeClasses.PAGE_BYTE_SIZE;
    }

    long byteSize() {
        return pageCount * SizeClasses.PAGE_BYTE_SIZE;
    }

    /** What it is in SLOTS. */
    SlotRun slots() {
        if (slots == null) {
            slots = new SlotRun(this);
        }
        return slots;
    }

    @Override
    public String toString() {
        return "run use=" + use + " slab=" + (slab == null ? "none" : slab.index) + " startPage=" + startPage
                + " pageCount=" + pageCount;
    }
}
