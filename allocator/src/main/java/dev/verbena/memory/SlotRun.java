package dev.verbena.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * A run of pages carved into equal slots, from its first byte on, that belongs to one {@link ThreadHeap}. What allocating and freeing
 * look at is all here, in 64 bytes where pointers are compressed.
 *
 * <p>Bit i of {@code freeSlots}, which is the heap's own, says that slot i is free; bit i of {@code returnedSlots}, which is everybody's,
 * that another thread has freed it and the heap has not yet taken it back.
 *
 * <p>Invariants: {@code freeSlots & returnedSlots == 0}; live slots = slotCount - |freeSlots|, of which |returnedSlots| are about to be
 * free.
 *
 * <p><b>Owner:</b> its {@link PageRun}. <b>Threading:</b> {@code freeSlots} and the links are guarded by the lock of {@code heap}. Whoever
 * holds a block of the run may read the rest, which changes only while all is locked, or nothing is live.
 */
final class SlotRun extends UsedRun {
    private static final VarHandle RETURNED;

    static {
        try {
            RETURNED = MethodHandles.lookup().findVarHandle(SlotRun.class, "returnedSlots", long.class);
        } catch (ReflectiveOperationException e) {
            throw new ExceptionInInitializerError(e);
        }
    }

    final PageRun pages;
    ThreadHeap heap;
    private long address;
    private long freeSlots;
    private volatile long returnedSlots;
    private int slotByteSize;
    private int slotReciprocal;
    private byte sizeClass;
    private byte slotCount;
    /** Links of {@link SlotBins}. */
    SlotRun binPrevious;
    SlotRun binNext;

    SlotRun(PageRun pages) {
        this.pages = pages;
    }

    /** The heap makes it its own, all slots free. */
    void carve(ThreadHeap heap, int sizeClass) {
        this.heap = heap;
        this.sizeClass = (byte) sizeClass;
        address = pages.address;
        slotByteSize = SizeClasses.slotByteSize(sizeClass);
        slotReciprocal = SizeClasses.slotReciprocal(sizeClass);
        slotCount = (byte) SizeClasses.slotsIn(sizeClass, pages.pageCount);
        freeSlots = allSlots();
    }

    int sizeClass() {
        return sizeClass;
    }

    int slotByteSize() {
        return slotByteSize;
    }

    int slotCount() {
        return slotCount;
    }

    long freeSlots() {
        return freeSlots;
    }

    long returnedSlots() {
        return returnedSlots;
    }

    /** The value of {@code freeSlots} when all are free. */
    long allSlots() {
        return -1L >>> -slotCount;
    }

    boolean isFull() {
        return freeSlots == 0;
    }

    /** No slot is live. */
    boolean isIdle() {
        return freeSlots == allSlots();
    }

    /** Of all slots if none is live, else 0. Without a branch: whether a block is its run's only one nobody predicts. */
    long idleByteSize() {
        long live = freeSlots ^ allSlots();
        long anyLive = (live | -live) >> Long.SIZE - 1;
        return byteSize() & ~anyLive;
    }

    /** Of all slots. */
    long byteSize() {
        return (long) slotCount * slotByteSize;
    }

    /** Of the slots that are not free; those that were returned are live until the heap has them. */
    long liveByteSize() {
        return (long) (slotCount - Long.bitCount(freeSlots)) * slotByteSize;
    }

    /** Takes the lowest free slot; there must be one. @return its address */
    long take() {
        long free = freeSlots;
        freeSlots = free & free - 1;
        return address + (long) Long.numberOfTrailingZeros(free) * slotByteSize;
    }

    /**
     * The bit of the slot at the address, which is within the run.
     *
     * @throws IllegalArgumentException if no slot begins there
     */
    long bitAt(long blockAddress) {
        long offset = blockAddress - address;
        int slot = (int) ((offset >>> SizeClasses.ALIGNMENT_SHIFT) * slotReciprocal >>> SizeClasses.RECIPROCAL_BITS);
        if (offset != (long) slot * slotByteSize || slot >= slotCount) {
            throw ArenaHeap.noBlock(blockAddress);
        }
        return 1L << slot;
    }

    /** By the heap. @throws IllegalStateException if it is free already */
    void give(long bit) {
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
    boolean giveFromOutside(long bit) {
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

    private IllegalStateException doubleFree(long bit) {
        long block = address + (long) Long.numberOfTrailingZeros(bit) * slotByteSize;
        return new IllegalStateException("double free: the block at address=0x" + Long.toHexString(block)
                + " is free already");
    }

    @Override
    public String toString() {
        return "slots of byteSize=" + slotByteSize + " free=" + Long.toBinaryString(freeSlots) + " returned="
                + Long.toBinaryString(returnedSlots) + " in " + pages;
    }
}
