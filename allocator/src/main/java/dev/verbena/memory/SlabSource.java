package dev.verbena.memory;

/**
 * Where an arena gets its slabs from.
 *
 * <p><b>Owner:</b> whoever made it; it outlives every arena that uses it. <b>Threading:</b> thread-safe.
 */
public interface SlabSource {
    /**
     * Hands out a slab of at least {@code byteSizeMin} bytes; zeroed, unless the source says otherwise.
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
}
