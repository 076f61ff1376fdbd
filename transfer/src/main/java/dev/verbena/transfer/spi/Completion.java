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
    /** As whoever posted the request or the receive numbered it; the fabric only hands it back. */
    public long workRequestId;
    /** Other than SUCCESS it means that the queue pair is in ERROR, and that what was posted behind this is flushed. */
    public CompletionStatus status;
    /** Of a request its own; of a receive RECEIVE or RECEIVE_WRITE_WITH_IMMEDIATE, which tells what arrived. */
    public Opcode opcode;
    /** Where the request or the receive was posted; several queue pairs may report to one completion queue. */
    public QueuePair queuePair;
    /** Bytes received, or of the request that is done. */
    public long byteSize;
    /** True of RECEIVE_WRITE_WITH_IMMEDIATE only. */
    public boolean hasImmediate;
    /** The same number as the peer's {@link WorkRequest#immediate}, on machines of any byte order; 0 if there is none. */
    public int immediate;
    /** What went wrong in words, with names and figures; null on success. */
    public String cause;

    /** An empty one, for a completion queue to fill. */
    public Completion() {}
}
