package dev.verbena.cli.perf;

import java.util.List;

import dev.verbena.transfer.spi.QueuePair;

/**
 * Keeps the receive queues full: as many receives as were posted at first, one more for each that arrived. Each has room for the
 * largest message.
 *
 * <p>Threading: confined to the command's thread.
 */
final class Receives {
    private final List<QueuePair> queuePairs;
    private final Buffers buffers;

    Receives(List<QueuePair> queuePairs, Buffers buffers) {
        this.queuePairs = queuePairs;
        this.buffers = buffers;
    }

    void postAll(int depth) {
        for (int i = 0; i < queuePairs.size(); i++) {
            for (int n = 0; n < depth; n++) {
                post(i);
            }
        }
    }

    void post(int queuePair) {
        boolean isPosted = queuePairs.get(queuePair).postReceive(queuePair, buffers.region,
                buffers.receiveOffset(queuePair), buffers.bufferByteSize());
        if (!isPosted) {
            throw new IllegalStateException("the receive queue of queue pair " + queuePair + " is full");
        }
    }
}
