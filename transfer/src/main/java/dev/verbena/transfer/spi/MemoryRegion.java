package dev.verbena.transfer.spi;

import java.util.Set;

import dev.verbena.memory.Slab;

/**
 * Memory registered with a fabric: allocated and registered once, addressed remotely by (address, rkey).
 *
 * <p><b>Owner:</b> who registered it, and closes it. <b>Threading:</b> immutable; {@link #close()} once, by its owner, when
 * no work request that names it is outstanding.
 */
public interface MemoryRegion extends Slab, AutoCloseable {
    /** The address under which peers name the first byte; unsigned. */
    long address();

    /**
     * The key that peers present together with an address: up to 64 bits, which the fabric alone makes and reads. Whoever tells it to a
     * peer tells all of it.
     */
    long rkey();

    Set<AccessRight> rights();

    /** Deregisters and unmaps. Later accesses by peers fail with {@link CompletionStatus#REMOTE_ACCESS_ERROR}. Idempotent. */
    @Override
    void close();
}
