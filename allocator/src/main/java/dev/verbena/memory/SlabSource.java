package dev.verbena.memory;

/**
 * Where an arena gets its slabs from.
 *
 * <p><b>Owner:</b> whoever made it; it outlives every arena that uses it. <b>Threading:</b> thread-safe.
 */
public interface SlabSource {
    /**
     * Hands out a slab of at least {@code byteSizeMin} bytes; zeroed, unless the source says otherwise in its documentation.
     *
     * @throws OutOfArenaMemoryException if the memory is not to be had; the message says what was asked and what there is
     */
    Slab acquire(long byteSizeMin);

    /**
     * Takes a slab back; no tensor of it is live any more.
     *
     * @throws RuntimeException if that cannot be now, since something still uses the memory: the slab, whatever is left of it, is still the
     *             arena's, which will offer it again
     */
    void release(Slab slab);

    /**
     * Whether every slab is all zeroes when it is handed out, and nobody writes to it but through its arena's blocks: an arena then does not
     * clear what was never used when zeroes are wanted. Not so if a peer may write there, nor if slabs come again as they were left.
     */
    default boolean isZeroing() {
        return false;
    }
}
