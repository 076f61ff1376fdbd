package dev.verbena.memory.scope;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

import dev.verbena.memory.heap.ArenaBlocks;

/**
 * Segments that are blocks of an arena, each freed when their lifetime is closed, and pinned until then: nobody but its owner can end
 * that.
 *
 * @param lifetime when the blocks go back; closed before the arena
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as the lifetime.
 */
public record LifetimeAllocator(ArenaBlocks arena, Arena lifetime) implements SegmentAllocator {
    public LifetimeAllocator {
        Objects.requireNonNull(lifetime, "lifetime");
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        ArenaBlocks.checkBlock(byteSize, byteAlignment);
        if (!arena.tryPin()) {
            throw new IllegalStateException("allocation of byteSize=" + byteSize + " in an arena that was closed"
                    + " forcibly");
        }
        long address;
        try {
            address = arena.allocateAligned(byteSize, byteAlignment, false);
        } catch (RuntimeException refused) {
            arena.unpinned();
            throw refused;
        }
        try {
            return MemorySegment.ofAddress(address).reinterpret(byteSize, lifetime, ended -> free(address));
        } catch (RuntimeException refused) {
            free(address);
            throw refused;
        }
    }

    private void free(long address) {
        try {
            arena.free(address);
        } finally {
            arena.unpinned();
        }
    }
}
