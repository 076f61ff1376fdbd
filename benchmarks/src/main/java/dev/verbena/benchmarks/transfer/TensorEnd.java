package dev.verbena.benchmarks.transfer;

import java.io.IOException;

/**
 * One end of a way on which tensors of FLOAT32 go from a process to another: at one they are made, at the other something is computed of each, and the
 * result goes back.
 *
 * <p><b>Owner:</b> its process. <b>Threading:</b> confined to it.
 */
interface TensorEnd extends AutoCloseable {
    /** Where the other one finds this one; a word. */
    String address();

    /** Where the other one is; before all else. */
    void meet(String peer) throws IOException, InterruptedException;

    /** What this end can do alone for tensors of so many elements, of which all are from now on. */
    void prepare(long count);

    /** The rest, when both are prepared; both at the same time, and one tensor has gone when they return. */
    void open() throws IOException, InterruptedException;

    /** What is computed of each from now on. */
    void begin(Work work);

    /** So many tensors, one after the other: each is sent when the result of the one before is back. */
    void run(int tensors) throws IOException, InterruptedException;

    @Override
    void close() throws IOException;
}
