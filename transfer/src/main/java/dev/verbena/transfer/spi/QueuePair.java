package dev.verbena.transfer.spi;

import java.lang.foreign.MemorySegment;

/**
 * A reliable connected queue pair. Operations take effect in the order posted; the first failed one moves it to ERROR and
 * everything behind it is flushed, each with its cause: first the requests, signaled or not, then the receives, each in the order posted;
 * what had arrived before is delivered first.
 *
 * <p>A fabric that {@linkplain Capabilities#mapsPeerMemory maps memory of peers} does small accesses at once, by the caller's processor, beside the
 * requests: {@link #tryPut}, {@link #tryPutWord}, {@link #tryGet}. There is no order between these and what is posted.
 *
 * <p><b>Owner:</b> its {@link Connection}. <b>Threading:</b> used by one thread at a time, together with its completion queue;
 * {@link #number()}, {@link #state()} and what is done at once are thread-safe.
 */
public interface QueuePair {
    /** What a queue pair can do. It only moves downwards in this list. */
    enum State {
        /** Both sides are ready; requests are carried out. */
        READY,
        /** Something failed or the peer is gone; requests are accepted and flushed. */
        ERROR,
        /** Destroyed; posting throws. */
        CLOSED
    }

    /** For messages; no two of a fabric have the same. */
    int number();

    /** Thread-safe; it may be ERROR before the completions that say why are polled. */
    State state();

    /** Its owner: when that closes, this is CLOSED. */
    Connection connection();

    /**
     * Whether this side knows that writes land in order: that the last 8 bytes of one, when 8-byte aligned at the target, become visible after
     * all others, of that write and of those before it. The promise holds for writes between two ends that both say so. The same from when it is connected on; thread-safe.
     */
    boolean writesInOrder();

    /** Where its requests and its receives report; polling it is also what moves this queue pair on. */
    CompletionQueue completionQueue();

    /**
     * Posts a list of requests, as far as the send queue has room. A request that is wrong in itself (too many elements, bad
     * opcode) throws before anything is posted. Where there is room, at least one is posted while no signaled request is under way, so that
     * whoever posts is told when to go on, or may go on at once.
     *
     * @return how many requests from the head were posted; fewer than the list holds means the send queue is full
     */
    int post(WorkRequest head);

    /**
     * Writes bytes into the peer's memory before it returns; the peer finds them there at the latest when it finds a word that the same thread
     * {@linkplain #tryPutWord puts} afterwards. Nothing completes, and nobody is told.
     *
     * @param source from {@code offset} on; need not be registered
     * @return false if it was not written, or perhaps not all of it: the fabric has no such way, the peer does not let it, or has failed; a
     *         request that is posted instead ends with the cause
     */
    default boolean tryPut(MemorySegment source, long offset, long byteSize, long address, long rkey) {
        return false;
    }

    /**
     * Writes an aligned word of 8 bytes into the peer's memory before it returns, behind what this thread has put.
     *
     * @param tellsPolls whether the peer's next poll tells of it, as of a plain write; if not, who polls there and finds nothing is told some polls
     *            later, which costs less. Who sleeps there is woken in either case
     * @return as {@link #tryPut}
     */
    default boolean tryPutWord(long address, long rkey, long word, boolean tellsPolls) {
        return false;
    }

    /**
     * Reads bytes of the peer's memory before it returns, after all that this thread has seen of it.
     *
     * @param target from {@code offset} on; need not be registered
     * @return false if it was not read, or perhaps not all of it; as {@link #tryPut}
     */
    default boolean tryGet(long address, long rkey, MemorySegment target, long offset, long byteSize) {
        return false;
    }

    /**
     * Posts a receive; {@code region} may be null with {@code byteSize} 0, for WRITE_WITH_IMMEDIATE only.
     *
     * @return false if the receive queue is full
     */
    boolean postReceive(long workRequestId, MemoryRegion region, long offset, long byteSize);

    /** Moves to ERROR: what is queued is flushed by the next polls, here and at the peer. */
    void fail(String cause);
}
