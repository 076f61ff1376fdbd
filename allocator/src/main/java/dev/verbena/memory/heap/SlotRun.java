package dev.verbena.memory.heap;

/**
 * A run of pages carved into equal slots, from its first byte on, that belongs to one {@link SlotHeap}.
 *
 * <p>Bit i of {@code freeSlots}, which is the heap's own, says that slot i is free; bit i of {@code returnedSlots}, which is everybody's,
 * that another thread has freed it and the heap has not yet taken it back. Both say so if the two freed it at the same time, when neither
 * saw what the other did: such a slot is not handed out, nor is its run idle, until the heap takes back, which is when it is told.
 *
 * <p>Invariants: {@code freeSlots & returnedSlots == 0} unless a block was freed twice; live slots = slotCount - |freeSlots|, of which |returnedSlots| are about to be
 * free.
 *
 * <p><b>Owner:</b> none: functions of a {@link RunRecord}. <b>Threading:</b> {@code freeSlots} and the links are guarded by the lock of the
 * heap. Whoever holds a block of the run may read the rest, which changes only while all is locked, or nothing is live.
 */
final class SlotRun {
    private SlotRun() {}

    /** The heap makes a run of that class its own, all slots free. */
    static void carve(long run, int heap, int sizeClass) {
        RunRecord.owner(run, RunRecord.ownerOf(heap, sizeClass));
        RunRecord.slotCount(run, SizeClasses.slotsIn(sizeClass, RunRecord.pageCount(run)));
        RunRecord.freeSlots(run, allSlots(run));
        RunRecord.returnedSlots(run, 0);
    }

    /** The value of {@code freeSlots} when all are free. */
    static long allSlots(long run) {
        return allOf(RunRecord.slotCount(run));
    }

    static long allOf(int slotCount) {
        return -1L >>> -slotCount;
    }

    static boolean isFull(long run) {
        return RunRecord.freeSlots(run) == 0;
    }

    /** No slot is live. */
    static boolean isIdle(long run) {
        return RunRecord.freeSlots(run) == allSlots(run) && RunRecord.returnedSlots(run) == 0;
    }

    /** Of the slots that are not free; those that were returned are live until the heap has them. */
    static long liveByteSize(long run) {
        return (long) liveCount(run) * SizeClasses.slotByteSize(RunRecord.sizeClass(run));
    }

    static int liveCount(long run) {
        return RunRecord.slotCount(run) - Long.bitCount(RunRecord.freeSlots(run));
    }

    /**
     * The bit of the slot at the address, which is within the run.
     *
     * @throws IllegalArgumentException if no slot begins there
     */
    static long bitAt(long run, long block, int sizeClass, int slotCount) {
        int slot = SizeClasses.slotAt(sizeClass, block - RunRecord.address(run));
        if (Integer.compareUnsigned(slot, slotCount) >= 0) {
            throw ArenaHeap.noBlock(block);
        }
        return 1L << slot;
    }

    private static long bitAt(long run, long block) {
        return bitAt(run, block, RunRecord.sizeClass(run), RunRecord.slotCount(run));
    }

    /** @throws IllegalArgumentException if no slot begins there, or a free one */
    static void checkBegins(long run, long block) {
        if ((RunRecord.freeSlots(run) & bitAt(run, block)) != 0) {
            throw ArenaHeap.noBlock(block);
        }
    }

    /** By the heap. @throws IllegalStateException if it is free already */
    static void checkLive(long run, long freeSlots, long bit, long block) {
        if (((freeSlots | RunRecord.returnedSlots(run)) & bit) != 0) {
            throw doubleFree(block);
        }
    }

    /**
     * By any thread; the use of the slot happens before the heap hands it out again.
     *
     * @return whether it is the first since the heap took them back: the caller tells the heap
     * @throws IllegalStateException if it is free already; where the heap's own thread frees it at the same time, that is noticed when the
     *             heap takes back
     */
    static boolean giveFromOutside(long run, long block) {
        long bit = bitAt(run, block);
        if ((RunRecord.freeSlots(run) & bit) != 0) {
            throw doubleFree(block);
        }
        long seen = RunRecord.addReturnedSlots(run, bit);
        if ((seen & bit) != 0) {
            throw doubleFree(block);
        }
        return seen == 0;
    }

    /** By the heap: what others have freed becomes free, at each moment one or both. @return their bits, those included that were free */
    static long takeReturned(long run) {
        long free = RunRecord.freeSlots(run);
        for (;;) {
            long returned = RunRecord.returnedSlots(run);
            RunRecord.freeSlots(run, free | returned);
            if (RunRecord.clearReturnedSlots(run, returned)) {
                return returned;
            }
        }
    }

    /** The address of the first of these slots. */
    static long addressOf(long run, long bits) {
        return RunRecord.address(run)
                + Long.numberOfTrailingZeros(bits) * SizeClasses.slotByteSize(RunRecord.sizeClass(run));
    }

    /**
     * By any thread, of a large block of a {@link Rooms room}: one of those who do so at the same time. If it is another's room, the caller
     * tells the heap. It is known to be free until another one begins there.
     */
    static void giveLarge(long run, long block) {
        checkLarge(run, block);
        if (RunRecord.addReturnedSlots(run, 1) != 0) {
            throw doubleFree(block);
        }
    }

    /**
     * @throws IllegalArgumentException if no large block begins at the address
     * @throws IllegalStateException if that is so no longer
     */
    static void checkLarge(long run, long block) {
        if (RunRecord.address(run) != block) {
            throw ArenaHeap.noBlock(block);
        }
        if (RunRecord.kind(run) != RunRecord.LARGE) {
            throw doubleFree(block);
        }
    }

    /** Of a large block. @throws IllegalStateException if another thread has freed it */
    static void checkNotReturned(long run, long block) {
        if (RunRecord.returnedSlots(run) != 0) {
            throw doubleFree(block);
        }
    }

    static IllegalStateException freedTwiceAtOnce(long block) {
        return new IllegalStateException("double free: the block at address=0x" + Long.toHexString(block)
                + " was freed by two threads at the same time; found now that the heap takes back what others freed");
    }

    static IllegalStateException doubleFree(long block) {
        return new IllegalStateException("double free: the block at address=0x" + Long.toHexString(block)
                + " is free already");
    }
}
