package dev.verbena.cli.perf;

import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.List;

/**
 * One side's sender and receiver of tensors of one size, by one protocol.
 *
 * <p>Owner: {@link TensorEnds}. Threading: confined to the command's thread.
 */
interface TensorCarrier extends AutoCloseable {
    /** When the peer has its carrier, or will soon. */
    void connect();

    /** Whether the next tensor may be written to, and offered. */
    boolean isReady();

    /** The bytes of the next tensor, when it {@link #isReady}. */
    MemorySegment next();

    /** Offers the next tensor, when it {@link #isReady}. */
    void offer();

    /** Many tensors follow, and nobody waits for one of them before {@link #flush}. */
    default void hold() {}

    /** All that was offered is to go. */
    default void flush() {}

    /** Waits for the next tensor, as a program does. @return its bytes, until {@link #release}; null if the time is up */
    MemorySegment await(Duration timeout);

    /** When the first bytes of what was awaited last could be read, by {@link System#nanoTime}; 0 where it comes whole. */
    default long firstNs() {
        return 0;
    }

    /** Gives back what was awaited. */
    void release();

    /** Of tensors to copy from, to compare with. */
    List<MemorySegment> memories();

    /** Bytes that a processor moves on the way of one tensor, on a fabric that has no adapter. */
    long fabricByteSize();

    @Override
    void close();
}
