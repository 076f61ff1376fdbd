package dev.verbena.cli.perf;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Either side of {@code send_lat}: both send in turn, and each learns of the other's by a completion. In perftest's order
 * ({@code run_iter_lat_send}): the client sends first; of its own sends a side awaits only the signaled ones.
 *
 * <p>Threading: confined to the command's thread.
 */
final class SendLatencyPart implements Part, CompletionHandler {
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final Trouble trouble;
    private final Receives receives;
    private final LatencySamples samples;
    private final WorkRequest send;
    private final long byteSize;
    private final int signalEvery;
    private final boolean isFirst;

    // Over all runs: the peer may have begun the next one when this side ends a run.
    private long expected;
    private long arrived;
    private long signaled;
    private long completed;

    SendLatencyPart(Side side, long byteSize, long iterations) {
        queuePair = side.first();
        queue = side.queue();
        trouble = side.trouble();
        receives = side.receives();
        this.byteSize = byteSize;
        signalEvery = side.options().signalEvery(iterations);
        isFirst = !side.options().isServer();
        samples = new LatencySamples(byteSize, iterations, 2);
        send = new WorkRequest(1).reset(0, Opcode.SEND).element(side.buffers().region, side.buffers().sendOffset(0),
                byteSize);
    }

    @Override
    public void run(long iterations) {
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            if (!isFirst || i > 0) {
                awaitArrival();
            }
            samples.stamp();
            send.signaled = (i + 1) % signalEvery == 0 || i + 1 == iterations;
            queuePair.post(send);
            if (send.signaled) {
                awaitCompletion();
            }
        }
        if (isFirst) {
            awaitArrival();
        }
    }

    private void awaitArrival() {
        expected++;
        while (arrived < expected) {
            poll();
        }
    }

    private void awaitCompletion() {
        signaled++;
        while (completed < signaled) {
            poll();
        }
    }

    private void poll() {
        queue.poll(this, 1);
        trouble.throwIfAny();
    }

    @Override
    public void onCompletion(Completion completion) {
        if (!trouble.judge(completion)) {
            return;
        }
        if (completion.opcode != Opcode.RECEIVE) {
            completed++;
        } else {
            if (completion.byteSize != byteSize) {
                trouble.note("arrived=" + completion.byteSize + " bytes of a message of " + byteSize);
            }
            arrived++;
            receives.post(0);
        }
    }

    @Override
    public Figures figures() {
        return samples.figures();
    }
}
