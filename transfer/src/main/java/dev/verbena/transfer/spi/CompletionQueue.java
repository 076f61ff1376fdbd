package dev.verbena.transfer.spi;

/**
 * Where queue pairs report their completions, and what makes fabrics without hardware do their work.
 *
 * <p><b>Owner:</b> the device, which closes it after its queue pairs. <b>Threading:</b> used by one thread at a time together
 * with every queue pair on it, not always the same one; but one thread may {@link #await} while another polls and posts, and
 * {@link #signal()} is thread-safe.
 */
public interface CompletionQueue extends AutoCloseable {
    /**
     * Delivers up to {@code countMax} completions and makes progress on all queue pairs.
     *
     * @return completions delivered; 0 also if another thread is just looking whether it may sleep
     */
    int poll(CompletionHandler handler, int countMax);

    /**
     * Changes when a poll has noticed that peers did something here, plain writes included, where the fabric can tell
     * ({@link Capabilities#wakesOnWrite()}); stays 0 elsewhere.
     */
    long remoteEffects();

    /**
     * Sleeps until a completion, a remote write (where the fabric can tell: {@link Capabilities#wakesOnWrite()}), a
     * {@link #signal()} or the timeout; may return early for no reason. Never misses what happened since the last poll, nor what peers have
     * {@linkplain QueuePair#tryPutWord put} without telling those who poll.
     */
    void await(long timeoutNs);

    /**
     * The next poll tells of what peers have {@linkplain QueuePair#tryPutWord put} without telling those who poll, too: for who waits for whatever
     * comes, and looks at no memory of its own. Thread-safe.
     */
    default void lookForPuts() {}

    /**
     * How long it may be left unpolled: 0 while a poll would do something, {@link Long#MAX_VALUE} if it will tell. A fabric without hardware
     * moves bytes only when it is polled.
     */
    default long idleNsMax() {
        return Long.MAX_VALUE;
    }

    /** Ends a present or the next {@link #await}. Thread-safe. */
    void signal();

    /** @throws IllegalStateException while a queue pair is on it */
    @Override
    void close();
}
