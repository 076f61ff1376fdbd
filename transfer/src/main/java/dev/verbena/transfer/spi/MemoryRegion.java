package dev.verbena.transfer.spi;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.memory.Slab;

/**
 * Memory registered with a fabric, once: allocated by it or imported; addressed remotely by (address, rkey).
 *
 * <p><b>Owner:</b> who registered it, and closes it. <b>Threading:</b> immutable; {@link #close()} once, by its owner, when
 * no work request that names it is outstanding.
 */
public interface MemoryRegion extends Slab, AutoCloseable {
    /**
     * All bytes of it; those of an import are the caller's segment.
     *
     * @throws UnsupportedOperationException if it is of {@linkplain MemoryKind#DEVICE a device}, where no processor reaches it
     */
    @Override
    MemorySegment memory();

    /** Of memory of a {@link MemoryKind#DEVICE} this side has no bytes to look at: requests can name it, {@link #memory} throws. */
    MemoryKind kind();

    /** How many bytes, from the first on, requests may name; beyond them they fail. Of a device's memory too. */
    long byteSize();

    /** The address under which peers name the first byte; unsigned. */
    long address();

    /**
     * The key that peers present together with an address: up to 64 bits, which the fabric alone makes and reads. Whoever tells it to a
     * peer tells all of it.
     */
    long rkey();

    /** As given when it was registered, never changed; where it is empty requests can send and write from it, and no more. */
    Set<AccessRight> rights();

    /** Whether it has not been closed. */
    boolean isOpen();

    /** Deregisters, and frees what the fabric has allocated. Later accesses by peers fail with {@link CompletionStatus#REMOTE_ACCESS_ERROR}. Idempotent. */
    @Override
    void close();
}
