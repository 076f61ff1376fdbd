package dev.verbena.memory;

import java.lang.foreign.MemorySegment;

/** What one thread of an {@link ArenaScript} holds, to free it or to hand it over: a tensor or a block by address. */
sealed interface HeldBlock {
    MemorySegment memory();

    void free(TensorArena arena);

    /** A tensor, and its headroom. */
    record OfTensor(Tensor tensor) implements HeldBlock {
        @Override
        public MemorySegment memory() {
            return tensor.memoryWithHeadroom();
        }

        @Override
        public void free(TensorArena arena) {
            tensor.close();
        }
    }

    /**
     * A block by address.
     *
     * @param isLarge a run of its own, however short it has become
     */
    record ByAddress(MemorySegment slab, long address, long byteSize, boolean isLarge) implements HeldBlock {
        @Override
        public MemorySegment memory() {
            return slab.asSlice(address - slab.address(), byteSize);
        }

        @Override
        public void free(TensorArena arena) {
            arena.freeAddress(address);
        }
    }
}
