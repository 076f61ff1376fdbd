package dev.verbena.memory.scope;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

import dev.verbena.memory.heap.ArenaBlocks;

/**
 * Segments that are blocks of an arena, each freed when their lifetime is closed.
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
        long address = arena.allocateAligned(byteSize, byteAlignment, false);
        try {
            return MemorySegment.ofAddress(address).reinterpret(byteSize, lifetime,
                    freed -> arena.free(address));
        } catch (RuntimeException refused) {
            arena.free(address);
            throw refused;
        }
    }
}
