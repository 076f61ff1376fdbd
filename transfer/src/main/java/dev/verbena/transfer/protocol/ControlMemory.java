package dev.verbena.transfer.protocol;

import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;

/**
 * Registered memory of the protocols themselves, by who may write it: a peer that was told where its word is has the key of everything
 * that is registered with it.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 *
 * @param messages of the RPC, and the sequence words that this side sends; no peer may write or read it by its key
 * @param words that a peer writes: the acknowledgements
 */
public record ControlMemory(TensorArena messages, TensorArena words) implements AutoCloseable {
    /** Message buffers of two connections, as a worker has with one server, and sequence words. */
    private static final long MESSAGES_BYTE_SIZE = 3L << 18;
    /** A line for each sender. */
    private static final long WORDS_BYTE_SIZE = 1L << 16;
    private static final long BYTE_SIZE_MAX = 1L << 28;

    /** Which grows when there are more peers and senders. */
    public static ControlMemory create(SlabSource locallyWritable, SlabSource remotelyWritable) {
        TensorArena messages = TensorArena.create(locallyWritable, MESSAGES_BYTE_SIZE, BYTE_SIZE_MAX);
        try {
            return new ControlMemory(messages, TensorArena.create(remotelyWritable, WORDS_BYTE_SIZE, BYTE_SIZE_MAX));
        } catch (RuntimeException e) {
            messages.close();
            throw e;
        }
    }

    @Override
    public void close() {
        messages.close();
        words.close();
    }
}
