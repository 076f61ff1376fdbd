package dev.verbena.transfer.spi;

import dev.verbena.memory.Slab;

/**
 * A region of a peer, mapped here: what is written to its bytes lies in the peer's memory at once. What the peer does with that, whoever writes
 * and the peer agree on otherwise.
 *
 * <p>The mapping stays usable whatever becomes of the connection and of the peer, and the peer's {@link Connection#whenQuiet} waits for its end.
 *
 * <p><b>Owner:</b> who mapped it, and closes it. <b>Threading:</b> immutable; {@link #close()} on any thread.
 */
public interface PeerMemory extends Slab, AutoCloseable {
    /** The address under which the peer names the first byte. */
    long address();

    /** Where in {@link #memory()} the bytes lie that the peer names so, or -1 if not all of them do. Addresses are unsigned; nothing overflows. */
    default long offsetOf(long address, long byteSize) {
        long offset = address - address();
        return offset >= 0 && offset <= memory().byteSize() && byteSize <= memory().byteSize() - offset ? offset : -1;
    }

    /** Unmaps it; nobody may be using the bytes. Idempotent. */
    @Override
    void close();
}
