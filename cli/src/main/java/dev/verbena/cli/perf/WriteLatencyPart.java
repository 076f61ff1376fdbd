package dev.verbena.cli.perf;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * Either side of {@code write_lat}: both write in turn, and each sees the other's write in its own memory, in the last byte, which
 * counts. In perftest's order ({@code run_iter_lat_write}): the own completion is taken while the peer's answer is under way, so
 * that it is no part of a half round trip; the server writes first.
 *
 * <p>Threading: confined to the command's thread.
 */
final class WriteLatencyPart implements Part, CompletionHandler {
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final Trouble trouble;
    private final Buffers buffers;
    private final LatencySamples samples;
    private final WorkRequest write;
    private final long sendCounter;
    private final ArrivalCounter arrivals;
    private final boolean isFirst;

    private byte sent;
    private boolean isCompleted;

    WriteLatencyPart(Side side, long byteSize, long iterations) {
        queuePair = side.first();
        queue = side.queue();
        trouble = side.trouble();
        buffers = side.buffers();
        isFirst = side.options().isServer();
        samples = new LatencySamples(byteSize, iterations, 2);
        write = new WorkRequest(1).reset(0, Opcode.WRITE).element(buffers.region, buffers.sendOffset(0), byteSize)
                .remote(side.remoteAddress(0), side.peer().rkey());
        sendCounter = buffers.sendOffset(0) + byteSize - 1;
        arrivals = new ArrivalCounter(side, byteSize);
    }

    @Override
    public void run(long iterations) {
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            if (!isFirst || i > 0) {
                arrivals.awaitNext();
            }
            post();
            awaitCompletion();
        }
        if (isFirst) {
            arrivals.awaitNext();
        }
    }

    private void post() {
        samples.stamp();
        buffers.byteRelease(sendCounter, ++sent);
        isCompleted = false;
        queuePair.post(write);
    }

    private void awaitCompletion() {
        for (int spins = 1; !isCompleted; spins++) {
            queue.poll(this, 1);
            if (!isCompleted && spins % ArrivalCounter.SPINS_ALONE == 0) {
                Thread.yield();
            }
        }
        trouble.throwIfAny();
    }

    @Override
    public void onCompletion(Completion completion) {
        trouble.judge(completion);
        isCompleted = true;
    }

    @Override
    public Figures figures() {
        return samples.figures();
    }
}
