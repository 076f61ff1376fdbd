package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;

/**
 * One side's half of a queue pair in shared memory: the state that the peer must know, and where the peer's messages arrive.
 *
 * <pre>
 *   STATE      0  int                                     4 lines  written by the owner
 *   PLACE      4  int: what the peer rings for
 *   CAUSE      8  text (int size, UTF-8)
 *   STARVED       int: the peer waits for a receive       one line written by the peer
 *   PUTS          long: words that the peer has put      one line written by the peer
 *   RING          {@link ReceiveRing}
 * </pre>
 *
 * <p>Threading: each word has one writer, but for {@code PUTS}, which any thread of the peer counts.
 */
final class QueuePairHalf {
    /** Requests are carried out. */
    static final int READY = 0;
    /** The owner's queue pair is in ERROR; the cause says why. */
    static final int ERROR = 1;
    /** The owner has closed the connection, in order or with a cause. */
    static final int CLOSED = 2;

    private static final long STATE = 0;
    private static final long PLACE = 4;
    private static final long CAUSE = 8;
    private static final long CAUSE_BYTE_SIZE = 4 * Words.LINE_BYTE_SIZE - CAUSE;
    private static final long STARVED = CAUSE + CAUSE_BYTE_SIZE;
    private static final long PUTS = STARVED + Words.LINE_BYTE_SIZE;
    private static final long RING = PUTS + Words.LINE_BYTE_SIZE;

    private final MemorySegment memory;
    private final ReceiveRing ring;

    QueuePairHalf(MemorySegment memory, int receiveDepth) {
        this.memory = memory;
        ring = new ReceiveRing(memory.asSlice(RING, ReceiveRing.byteSize(receiveDepth)), receiveDepth);
    }

    static long byteSize(int receiveDepth) {
        return RING + ReceiveRing.byteSize(receiveDepth);
    }

    ReceiveRing ring() {
        return ring;
    }

    /** Called by the owner. The text is written before the first state that needs it and stays. */
    void publishRelease(int state, String cause) {
        if (stateAcquire() == READY) {
            Words.putText(memory, CAUSE, CAUSE_BYTE_SIZE, cause);
        }
        Words.INT.setRelease(memory, STATE, state);
    }

    int stateAcquire() {
        return (int) Words.INT.getAcquire(memory, STATE);
    }

    /** Called by the owner, before it looks at the ring for the first time. */
    void publishPlace(int place) {
        Words.INT.setOpaque(memory, PLACE, place);
    }

    /** Called by the peer; {@link Doorbell#ALL} if the owner has not said it yet, or what cannot be. */
    int place() {
        int place = (int) Words.INT.getOpaque(memory, PLACE);
        return place > 0 && place < Doorbell.PLACE_COUNT ? place : Doorbell.ALL;
    }

    String cause() {
        return Words.text(memory, CAUSE, CAUSE_BYTE_SIZE);
    }

    /** Called by the peer; it looks for a receive once more afterwards. */
    void setStarvedVolatile(boolean isStarved) {
        Words.INT.setVolatile(memory, STARVED, isStarved ? 1 : 0);
    }

    /** Called by the peer, behind a word of which it tells only who sleeps: what it does next is ordered behind both. */
    void countPutVolatile() {
        Words.LONG.getAndAdd(memory, PUTS, 1L);
    }

    /** Called by the owner: the words that were counted are seen then. */
    long putsAcquire() {
        return (long) Words.LONG.getAcquire(memory, PUTS);
    }

    /** Called by the owner after it has posted a receive and fenced. */
    boolean isPeerStarved() {
        return (int) Words.INT.getOpaque(memory, STARVED) != 0;
    }
}
