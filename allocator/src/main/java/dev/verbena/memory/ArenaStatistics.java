package dev.verbena.memory;

/**
 * A snapshot of an arena, in bytes and counts.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param slabByteSize bytes of all slabs, as far as the arena uses them
 * @param slabCount slabs held
 * @param liveByteSize bytes handed out, rounding included; a tensor that is closed but pinned is live
 * @param livePeakByteSize the most that ever were; with several threads it may be too much by 1 MiB for each, never too little
 * @param freeByteSize {@code slabByteSize - liveByteSize}
 * @param largestFreeRunByteSize bytes of the longest run of free pages; a tensor larger than the slots of the size classes needs such
 *            a run or a further slab
 * @param freeRunCount runs of free pages; one per slab when nothing is live, many tell of fragmentation
 * @param liveCount tensors not yet freed
 * @param allocationCount tensors ever handed out
 */
public record ArenaStatistics(long slabByteSize, int slabCount, long liveByteSize, long livePeakByteSize,
        long freeByteSize,
        long largestFreeRunByteSize, long freeRunCount, long liveCount, long allocationCount) {}
