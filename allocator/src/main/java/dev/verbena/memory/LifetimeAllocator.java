package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SegmentAllocator;
import java.util.Objects;

/**
 * Segments that are blocks of an arena, each freed when their lifetime is closed.
 *
 * @param lifetime when the blocks go back; closed before the arena
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as the lifetime.
 */
record LifetimeAllocator(TensorArena arena, Arena lifetime) implements SegmentAllocator {
    LifetimeAllocator {
        Objects.requireNonNull(lifetime, "lifetime");
    }

    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        long address = arena.allocateAddress(byteSize, byteAlignment);
        try {
            return MemorySegment.ofAddress(address).reinterpret(byteSize, lifetime,
                    freed -> arena.freeAddress(address));
        } catch (RuntimeException refused) {
            arena.freeAddress(address);
            throw refused;
        }
    }
}
