package dev.verbena.memory;

/**
 * Where the memory of tensors comes from and goes back to.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
interface Storage {
    /** The slab with the block at the address. */
    Slab slabAt(long address);

    /** Takes the block at the address back; called once for each, on the thread that closed or unpinned last. */
    void release(long address);
}
