package dev.verbena.memory;

/**
 * A snapshot of an arena, in bytes and counts.
 *
 * @param slabByteSize bytes of all slabs
 * @param slabCount slabs held
 * @param liveByteSize bytes handed out, rounding included
 * @param livePeakByteSize the most that ever were
 * @param freeByteSize {@code slabByteSize - liveByteSize}, cached blocks included
 * @param largestFreeRunByteSize the largest tensor that fits without another slab
 * @param liveCount tensors not yet freed
 * @param allocationCount tensors ever handed out
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record ArenaStatistics(long slabByteSize, int slabCount, long liveByteSize, long livePeakByteSize,
        long freeByteSize,
        long largestFreeRunByteSize, long liveCount, long allocationCount) {}
