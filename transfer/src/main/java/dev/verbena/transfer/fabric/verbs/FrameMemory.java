package dev.verbena.transfer.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.EnumSet;

import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;

/**
 * Registered memory of a queue pair whose messages have headers.
 *
 * <pre>
 *   open, which the peer reads:  credit word
 *   own:  0                   what the last asking brought
 *         64                  what the read behind each send brought, 8 bytes each
 *         + 8  * sendDepth    headers that are sent, 24 bytes each
 *         + 24 * sendDepth    headers that arrive, 24 bytes each
 * </pre>
 *
 * <p>Threading: its parts are confined to the queue pair's poller; the device reads and writes them.
 */
final class FrameMemory implements AutoCloseable {
    /** Where the word of the last asking lands. */
    static final long ASKED = 0;

    private static final VarHandle WORD = ValueLayout.JAVA_LONG.varHandle();
    private static final long LINE_BYTE_SIZE = 64;

    private final MemoryRegion open;
    private final MemoryRegion own;
    private final int sendDepth;
    private final int receiveDepth;

    /** Depths that are powers of two. */
    FrameMemory(ProtectionDomain domain, int sendDepth, int receiveDepth) {
        this.sendDepth = sendDepth;
        this.receiveDepth = receiveDepth;
        // On iWARP it is the peer that writes what a read brings: some adapters want that allowed (RFC 5040, §5.2).
        own = domain.allocate(headersAt() + (long) receiveDepth * MessageHeader.BYTE_SIZE,
                EnumSet.of(AccessFlag.LOCAL_WRITE, AccessFlag.REMOTE_WRITE));
        try {
            open = domain.allocate(Long.BYTES, EnumSet.of(AccessFlag.REMOTE_READ));
        } catch (RuntimeException e) {
            own.close();
            throw e;
        }
        tellPosted(0);
    }

    MemoryRegion own() {
        return own;
    }

    MemorySegment memory() {
        return own.memory();
    }

    /** Where the word lands that is read behind the send. */
    long confirming(long number) {
        return LINE_BYTE_SIZE + slot(number, sendDepth) * Long.BYTES;
    }

    /** The header of the send. */
    long leaving(long number) {
        return LINE_BYTE_SIZE + (long) sendDepth * Long.BYTES + slot(number, sendDepth) * MessageHeader.BYTE_SIZE;
    }

    /** The header of what arrives in the receive. */
    long arriving(long number) {
        return headersAt() + slot(number, receiveDepth) * MessageHeader.BYTE_SIZE;
    }

    private long headersAt() {
        return LINE_BYTE_SIZE + (long) sendDepth * (Long.BYTES + MessageHeader.BYTE_SIZE);
    }

    private static long slot(long number, int depth) {
        return number & depth - 1;
    }

    /** A word that the device has brought. */
    long word(long at) {
        return (long) WORD.getAcquire(own.memory(), at);
    }

    /** Behind what was posted: the peer may send as soon as it reads it. */
    void tellPosted(long count) {
        WORD.setRelease(open.memory(), 0L, ReceiveCredit.word(count));
    }

    /** What the peer would read now. */
    long posted() {
        return (long) WORD.get(open.memory(), 0L);
    }

    /** Where the peer reads that. */
    CreditAddress creditAddress() {
        return new CreditAddress(open.remoteAddress(), open.rkey());
    }

    @Override
    public void close() {
        own.close();
        open.close();
    }
}
