package dev.verbena.memory;

import java.util.List;

/**
 * Counts of an arena, read while its threads go on: each is of some recent moment, not all of the same. What a thread has freed that
 * another had allocated is live until that one takes it back. {@link TensorArena#statistics()} is exact, and keeps threads out for it.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param slabByteSize bytes of all slabs, as far as the arena uses them
 * @param slabCount slabs held
 * @param liveByteSize bytes handed out, rounding included
 * @param livePeakByteSize the most that ever were, as {@link ArenaStatistics#livePeakByteSize()}
 * @param largeCount blocks that are larger than the slots of the size classes
 * @param largeByteSize bytes of these
 * @param classes of each size class of which a block is live, the smallest first
 * @param heaps of each thread that ever allocated or freed, and of those that virtual threads share
 */
public record ArenaUsage(long slabByteSize, int slabCount, long liveByteSize, long livePeakByteSize, long largeCount,
        long largeByteSize, List<ClassUsage> classes, List<HeapUsage> heaps) {
    /**
     * Of one size class.
     *
     * @param slotByteSize bytes of each block
     * @param liveCount blocks not yet freed
     */
    public record ClassUsage(int slotByteSize, long liveCount) {
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

    public ArenaUsage {
        classes = List.copyOf(classes);
        heaps = List.copyOf(heaps);
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
