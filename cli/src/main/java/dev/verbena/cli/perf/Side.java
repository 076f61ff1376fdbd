package dev.verbena.cli.perf;

import java.util.List;

import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.QueuePair;

/**
 * What the loops of one side work with.
 *
 * @param queuePairs that are measured, all on {@code queue}
 * @param peer where its buffers are
 */
record Side(PerfOptions options, List<QueuePair> queuePairs, CompletionQueue queue, Buffers buffers, Agreement peer,
        Receives receives, Trouble trouble) {
    /** The address of the peer's receive buffer of a queue pair. */
    long remoteAddress(int queuePair) {
        return peer.address() + buffers.receiveOffset(queuePair);
    }

    QueuePair first() {
        return queuePairs.getFirst();
    }
}
