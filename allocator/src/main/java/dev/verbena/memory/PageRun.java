package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

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
 * <p>A run in {@link Use#SLOTS} belongs to a {@link ThreadHeap} and is carved into {@code slotCount} slots of {@code slotByteSize}
 * bytes from its first byte on. Bit i of {@code freeSlots}, which is the heap's own, says that slot i is free; bit i of
 * {@code returnedSlots}, which is everybody's, that another thread has freed it and the heap has not yet taken it back.
 *
 * <p>Invariants: no two neighbours are FREE; {@code freeSlots & returnedSlots == 0}; live slots = slotCount - |freeSlots| -
 * |returnedSlots|.
 *
 * <p><b>Owner:</b> {@link PageRuns}, which recycles the objects. <b>Threading:</b> place, use and neighbours are guarded by the lock
 * of {@link CentralHeap}; {@code freeSlots} and the links of the bin by that of {@code heap}. Whoever holds a block of the run may
 * read {@code slab}, {@code address}, {@code heap}, {@code sizeClass} and {@code slotByteSize}, which change only while all is
 * locked.
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

    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(PageRun.class, "returnedSlots", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
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

    /** Null of a run that is not in SLOTS. */
    ThreadHeap heap;
    int sizeClass;
    int slotByteSize;
    private long slotReciprocal;
    int slotCount;
    long freeSlots;
    /** The value of {@code freeSlots} when all are free. */
    long allSlots;
    private volatile long returnedSlots;
    /** Links of {@link SlotBins}. */
    PageRun binPrevious;
    PageRun binNext;
    /** Link of {@link ReturnedRuns}. */
    PageRun returnedNext;

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

    /** Bytes of one block of it. */
    long blockByteSize() {
        return use == Use.SLOTS ? slotByteSize : byteSize();
    }

    /** The heap makes it its own, all slots free. */
    void carve(ThreadHeap heap, int sizeClass) {
        this.heap = heap;
        this.sizeClass = sizeClass;
        slotByteSize = SizeClasses.slotByteSize(sizeClass);
        slotReciprocal = SizeClasses.slotReciprocal(sizeClass);
        slotCount = SizeClasses.slotsIn(sizeClass, pageCount);
        allSlots = -1L >>> Long.SIZE - slotCount;
        freeSlots = allSlots;
    }

    /** Takes the lowest free slot; there must be one. @return its address */
    long takeSlot() {
        long free = freeSlots;
        freeSlots = free & free - 1;
        return address + (long) Long.numberOfTrailingZeros(free) * slotByteSize;
    }

    /**
     * The bit of the slot at the address.
     *
     * @throws IllegalArgumentException if no slot begins there
     */
    long bitAt(long blockAddress) {
        long offset = blockAddress - address;
        int slot = (int) (offset * slotReciprocal >>> SizeClasses.RECIPROCAL_BITS);
        if (offset != (long) slot * slotByteSize || slot >= slotCount) {
            throw new IllegalArgumentException("free of address=0x" + Long.toHexString(blockAddress)
                    + ", which is within a block or behind the last: give the address that was allocated");
        }
        return 1L << slot;
    }

    /** By the heap. @throws IllegalStateException if it is free already */
    void giveSlot(long bit) {
        if (((freeSlots | returnedSlots) & bit) != 0) {
            throw doubleFree(bit);
        }
        freeSlots |= bit;
    }

    /**
     * By any thread; the use of the slot happens before the heap hands it out again.
     *
     * @return whether it is the first since the heap took them back: the caller tells the heap
     * @throws IllegalStateException if it is free already; of two threads that free it at the same time, one may go unnoticed
     */
    boolean returnSlot(long bit) {
        if ((freeSlots & bit) != 0) {
            throw doubleFree(bit);
        }
        long seen = (long) RETURNED.getAndBitwiseOr(this, bit);
        if ((seen & bit) != 0) {
            throw doubleFree(bit);
        }
        return seen == 0;
    }

    /** By the heap: what others have freed becomes free. @return how many */
    int takeReturned() {
        long returned = (long) RETURNED.getAndSet(this, 0L);
        freeSlots |= returned;
        return Long.bitCount(returned);
    }

    long returnedSlots() {
        return returnedSlots;
    }

    /** Of the slots that are not free; those that were returned are live until the heap has them. */
    long liveSlotsByteSize() {
        return (long) (slotCount - Long.bitCount(freeSlots)) * slotByteSize;
    }

    private IllegalStateException doubleFree(long bit) {
        long block = address + (long) Long.numberOfTrailingZeros(bit) * slotByteSize;
        return new IllegalStateException("double free: the block at address=0x" + Long.toHexString(block)
                + " is free already");
    }

    @Override
    public String toString() {
        return "run use=" + use + " slab=" + (slab == null ? "none" : slab.index) + " startPage=" + startPage
                + " pageCount=" + pageCount;
    }
}
