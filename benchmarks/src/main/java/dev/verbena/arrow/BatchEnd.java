package dev.verbena.arrow;

import java.io.IOException;

/**
 * One end of a way on which batches go from a process to another.
 *
 * <p><b>Owner:</b> the process. <b>Threading:</b> confined to it.
 */
interface BatchEnd extends AutoCloseable {
    /** Sends, or receives and looks at, so many batches, which have that many bytes. @return {@link System#nanoTime} at its begin, or its end */
    long run(int byteSize, int count) throws IOException;

    /** Where the other end connects to; null at that. */
    default String address() {
        return null;
    }

    @Override
    void close() throws IOException;
}
