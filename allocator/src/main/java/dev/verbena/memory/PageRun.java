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
 * <p>A run in {@link Use#SLOTS} is carved into {@code slotCount} slots of {@code slotByteSize} bytes from its first byte on; bit i
 * of {@code freeSlots} says that slot i is with the run, neither handed out nor in a thread's cache.
 *
 * <p>Invariants: no two neighbours are FREE; a run in SLOTS has a slot that is not free (else its pages went back).
 *
 * <p><b>Owner:</b> {@link PageRuns}, which recycles the objects. <b>Threading:</b> guarded by the lock of {@link CentralHeap};
 * whoever holds a block of the run may read {@code slab}, {@code startPage}, {@code sizeClass} and {@code slotByteSize}, which
 * don't change while a block of it is out.
 */
final class PageRun {
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
    long startPage;
    long pageCount;
    /** Neighbours by address in the slab; null at its ends. */
    PageRun previous;
    PageRun next;

    /** Links of {@link RunTree}; {@code left} also links the spares. */
    PageRun left;
    PageRun right;
    int height;

    int sizeClass;
    int slotByteSize;
    int slotCount;
    long freeSlots;
    /** Links of {@link SlotBin}. */
    PageRun binPrevious;
    PageRun binNext;

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

    /** Bytes from the start of the slab. */
    long offset() {
        return startPage * SizeClasses.PAGE_BYTE_SIZE;
    }

    long byteSize() {
        return pageCount * SizeClasses.PAGE_BYTE_SIZE;
    }

    /** Bytes of one block of it. */
    long blockByteSize() {
        return use == Use.SLOTS ? slotByteSize : byteSize();
    }

    /** The value of {@code freeSlots} when all are free. */
    long allSlots() {
        return -1L >>> Long.SIZE - slotCount;
    }

    void carve(int sizeClass) {
        this.sizeClass = sizeClass;
        slotByteSize = SizeClasses.slotByteSize(sizeClass);
        slotCount = SizeClasses.slotsIn(sizeClass, pageCount);
        freeSlots = allSlots();
    }

    int takeSlot() {
        int slot = Long.numberOfTrailingZeros(freeSlots);
        freeSlots &= freeSlots - 1;
        return slot;
    }

    void giveSlot(int slot) {
        long bit = 1L << slot;
        if (use != Use.SLOTS || slot >= slotCount || (freeSlots & bit) != 0) {
            throw new IllegalStateException("arena is corrupt: slot=" + slot + " comes back but is not out, " + this);
        }
        freeSlots |= bit;
    }

    @Override
    public String toString() {
        return "run use=" + use + " slab=" + (slab == null ? "none" : slab.index) + " startPage=" + startPage
                + " pageCount=" + pageCount;
    }
}
