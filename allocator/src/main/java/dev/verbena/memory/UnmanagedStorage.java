package dev.verbena.memory;

import dev.verbena.memory.heap.Storage;

/**
 * Memory of one tensor that no arena manages.
 *
 * @param onFree what happens at its end
 *
 * <p><b>Owner:</b> the tensor. <b>Threading:</b> immutable.
 */
record UnmanagedStorage(Slab slab, Runnable onFree) implements Storage {
    @Override
    public Slab slabAt(long address) {
        return slab;
    }

    @Override
    public void release(long address) {
        onFree.run();
    }
}
