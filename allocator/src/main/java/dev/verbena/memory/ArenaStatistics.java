package dev.verbena.memory;

import java.util.List;

/**
 * Figures of an arena, in bytes and counts: of one moment and exact, by {@link TensorArena#statistics()}; or each of some recent moment, by
 * {@link TensorArena#recentStatistics()}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param slabByteSize bytes of all slabs, as far as the arena uses them
 * @param slabCount slabs held
 * @param livePeakByteSize the most bytes that were live at a time; with several threads it may be too much by 10 MiB and a 16th of what is
 *            live for each, never too little
 * @param largestFreeRunByteSize bytes of the longest run of free pages; a tensor larger than the slots of the size classes needs such
 *            a run or a further slab
 * @param freeRunCount runs of free pages; one per slab when nothing is live, many tell of fragmentation
 * @param largeCount blocks that are larger than the slots of the size classes
 * @param largeByteSize bytes of these
 * @param largeAllocationCount such blocks ever handed out
 * @param classes of each size class of which a block is live, the smallest first
 * @param heaps of each thread that ever allocated or freed, and of those that virtual threads share
 */
public record ArenaStatistics(long slabByteSize, int slabCount, long livePeakByteSize, long largestFreeRunByteSize,
        long freeRunCount, long largeCount, long largeByteSize, long largeAllocationCount, List<ClassUsage> classes,
        List<HeapUsage> heaps) {
    /**
     * Of one size class.
     *
     * @param slotByteSize bytes of each block
     * @param liveCount blocks not yet freed
     */
    public record ClassUsage(int slotByteSize, long liveCount) {
        /** Bytes of these blocks, each a whole slot, however few of them its tensor uses. */
        public long liveByteSize() {
            return liveCount * slotByteSize;
        }
    }

    /**
     * Of one thread, or of some virtual ones.
     *
     * @param threadId the thread's; 0 if virtual threads share it
     * @param liveByteSize bytes of blocks from its runs
     * @param cachedByteSize bytes of its runs that are free, for its next blocks
     * @param allocationCount blocks that it ever handed out from runs of slots
     * @param allocatedByteSize bytes of these
     * @param requestedByteSize bytes that these were asked to have
     */
    public record HeapUsage(long threadId, long liveByteSize, long cachedByteSize, long allocationCount,
            long allocatedByteSize, long requestedByteSize) {}

    /** Copies both lists, in which nothing may be null. */
    public ArenaStatistics {
        classes = List.copyOf(classes);
        heaps = List.copyOf(heaps);
    }

    /** Bytes handed out, rounding included; a tensor that is closed but pinned is live. */
    public long liveByteSize() {
        return largeByteSize + classes.stream().mapToLong(ClassUsage::liveByteSize).sum();
    }

    /** All that is not live. */
    public long freeByteSize() {
        return slabByteSize - liveByteSize();
    }

    /** Tensors not yet freed. */
    public long liveCount() {
        return largeCount + classes.stream().mapToLong(ClassUsage::liveCount).sum();
    }

    /** Tensors ever handed out. */
    public long allocationCount() {
        return largeAllocationCount + heaps.stream().mapToLong(HeapUsage::allocationCount).sum();
    }

    /** Share of the bytes of small blocks that nobody asked for, over all allocations up to now: 0 to 1. */
    public double internalFragmentation() {
        long allocated = heaps.stream().mapToLong(HeapUsage::allocatedByteSize).sum();
        long requested = heaps.stream().mapToLong(HeapUsage::requestedByteSize).sum();
        return allocated == 0 ? 0 : 1 - (double) requested / allocated;
    }

    /** Share of the slabs beyond the most that ever was live: 0 to 1. What the slabs had at first and never needed is part of it. */
    public double externalFragmentation() {
        return slabByteSize == 0 ? 0 : Math.max(0, 1 - (double) livePeakByteSize / slabByteSize);
    }
}
