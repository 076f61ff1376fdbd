package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * Slabs of ordinary off-heap memory, for tensors that never leave the process.
 *
 * <p><b>Owner:</b> whoever made it. <b>Threading:</b> thread-safe.
 */
public final class OffHeapSlabSource implements SlabSource {
    private record OffHeapSlab(Arena arena, MemorySegment memory) implements Slab {}

    /** Stateless. */
    public OffHeapSlabSource() {}

    @Override
    public Slab acquire(long byteSizeMin) {
        Arena arena = Arena.ofShared();
        try {
            return new OffHeapSlab(arena, arena.allocate(byteSizeMin, 4096));
        } catch (OutOfMemoryError e) {
            arena.close();
            throw new OutOfArenaMemoryException("the system refused " + byteSizeMin + " bytes: " + e.getMessage());
        }
    }

    @Override
    public void release(Slab slab) {
        ((OffHeapSlab) slab).arena.close();
    }
}
