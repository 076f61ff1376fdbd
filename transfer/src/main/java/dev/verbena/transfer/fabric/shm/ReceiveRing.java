package dev.verbena.transfer.fabric.shm;

import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.lang.foreign.MemorySegment;
import java.lang.invoke.VarHandle;

/**
 * The receives that the owner posted, and what arrived in each: one ring, because the n-th arrival always takes the n-th
 * receive.
 *
 * <pre>
 *   POSTED    long  receives posted                              one line  owner
 *   CLAIMED   long  receives that the peer has begun to use      one line  peer by compare-and-set; owner closes it
 *   ARRIVED   long  receives that the peer is done with          one line  peer
 *   ENTRIES   depth entries of 64 bytes:
 *       0  address   long  in the owner          written by the owner, published by POSTED
 *       8  byteSize  long
 *      16  rkey      long
 *      24  usable    int   0 if the owner's element is wrong in itself
 *      32  byteSize  long  that arrived          written by the peer, published by ARRIVED
 *      40  kind      int   {@link Arrival} ordinal
 *      44  immediate int
 * </pre>
 *
 * <p>{@code ARRIVED <= CLAIMED <= POSTED <= ARRIVED + depth + what the owner has not reaped yet}. A receive is claimed before the
 * first byte lands in it; once the owner has closed CLAIMED it knows which receives nobody will touch any more.
 *
 * <p>Threading: each word has one writer, but CLAIMED.
 */
final class ReceiveRing {
    /** Set in CLAIMED by the owner: no further claims. */
    private static final long CLOSED = Long.MIN_VALUE;

    private static final long POSTED = 0;
    private static final long CLAIMED = POSTED + Words.LINE_BYTE_SIZE;
    private static final long ARRIVED = CLAIMED + Words.LINE_BYTE_SIZE;
    private static final long ENTRIES = ARRIVED + Words.LINE_BYTE_SIZE;
    private static final long ENTRY_BYTE_SIZE = 64;

    private static final long ADDRESS = 0;
    private static final long BYTE_SIZE = 8;
    private static final long RKEY = 16;
    private static final long USABLE = 24;
    private static final long ARRIVED_BYTE_SIZE = 32;
    private static final long KIND = 40;
    private static final long IMMEDIATE = 44;

    private final MemorySegment memory;
    private final int mask;

    ReceiveRing(MemorySegment memory, int depth) {
        this.memory = memory;
        mask = depth - 1;
    }

    static long byteSize(int depth) {
        return ENTRIES + depth * ENTRY_BYTE_SIZE;
    }

    private long entry(long index) {
        return ENTRIES + (index & mask) * ENTRY_BYTE_SIZE;
    }

    /** Called by the owner. */
    void postRelease(long index, long address, long byteSize, long rkey, boolean isUsable) {
        long entry = entry(index);
        memory.set(JAVA_LONG, entry + ADDRESS, address);
        memory.set(JAVA_LONG, entry + BYTE_SIZE, byteSize);
        memory.set(JAVA_LONG, entry + RKEY, rkey);
        memory.set(JAVA_INT, entry + USABLE, isUsable ? 1 : 0);
        Words.LONG.setRelease(memory, POSTED, index + 1);
    }

    /** Called by the owner. */
    long arrivedAcquire() {
        return (long) Words.LONG.getAcquire(memory, ARRIVED);
    }

    /** Called by the owner: no receive is claimed from now on. @return how many have been */
    long closeClaims() {
        return (long) Words.LONG.getAndBitwiseOr(memory, CLAIMED, CLOSED) & ~CLOSED;
    }

    /** Called by the owner, of an entry that has arrived. */
    Arrival kind(long index) {
        return Arrival.of(memory.get(JAVA_INT, entry(index) + KIND));
    }

    long arrivedByteSize(long index) {
        return memory.get(JAVA_LONG, entry(index) + ARRIVED_BYTE_SIZE);
    }

    int immediate(long index) {
        return memory.get(JAVA_INT, entry(index) + IMMEDIATE);
    }

    /** Called by the peer. */
    long postedAcquire() {
        return (long) Words.LONG.getAcquire(memory, POSTED);
    }

    /** Called by the peer, of an entry that has been posted. @return false if the owner has closed the ring */
    boolean claim(long index) {
        return Words.LONG.compareAndSet(memory, CLAIMED, index, index + 1);
    }

    long address(long index) {
        return memory.get(JAVA_LONG, entry(index) + ADDRESS);
    }

    long byteSize(long index) {
        return memory.get(JAVA_LONG, entry(index) + BYTE_SIZE);
    }

    long rkey(long index) {
        return memory.get(JAVA_LONG, entry(index) + RKEY);
    }

    boolean isUsable(long index) {
        return memory.get(JAVA_INT, entry(index) + USABLE) != 0;
    }

    /** Called by the peer, of an entry that it has claimed, when all its bytes have landed. */
    void arriveRelease(long index, Arrival kind, long byteSize, int immediate) {
        long entry = entry(index);
        memory.set(JAVA_LONG, entry + ARRIVED_BYTE_SIZE, byteSize);
        memory.set(JAVA_INT, entry + KIND, kind.ordinal());
        memory.set(JAVA_INT, entry + IMMEDIATE, immediate);
        // Large copies use streaming stores, which a release store alone does not order (MemorySegment.copy on x86).
        VarHandle.fullFence();
        Words.LONG.setRelease(memory, ARRIVED, index + 1);
    }
}
