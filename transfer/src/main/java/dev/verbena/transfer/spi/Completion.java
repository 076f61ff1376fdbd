package dev.verbena.transfer.spi;

/**
 * One work completion, a flyweight: valid only during {@link CompletionHandler#onCompletion}.
 *
 * <p>When {@link #status} is not SUCCESS only {@code workRequestId}, {@code status}, {@code queuePair} and {@code cause} mean
 * anything.
 *
 * <p><b>Owner:</b> the completion queue that fills it. <b>Threading:</b> used by who polls the completion queue.
 */
public final class Completion {
    public long workRequestId;
    public CompletionStatus status;
    public Opcode opcode;
    public QueuePair queuePair;
    /** Bytes received or read. */
    public long byteSize;
    public boolean hasImmediate;
    public int immediate;
    /** What went wrong in words, with names and figures; null on success. */
    public String cause;

    /** An empty one, for a completion queue to fill. */
    public Completion() {}
}
