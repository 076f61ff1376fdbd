package dev.verbena.cli.perf;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.WorkRequest;

/**
 * The client of {@code read_lat} and {@code atomic_lat}: one request after the other, each awaited ({@code run_iter_lat} of
 * perftest).
 *
 * <p>Threading: confined to the command's thread.
 */
final class RequestLatencyPart implements Part, CompletionHandler {
    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final Trouble trouble;
    private final LatencySamples samples;
    private final WorkRequest request;
    private boolean isCompleted;

    RequestLatencyPart(Side side, long byteSize, long iterations) {
        queuePair = side.first();
        queue = side.queue();
        trouble = side.trouble();
        samples = new LatencySamples(byteSize, iterations, 1);
        request = new WorkRequest(1).reset(0, side.options().test().opcode)
                .element(side.buffers().region, side.buffers().sendOffset(0), byteSize)
                .remote(side.remoteAddress(0), side.peer().rkey());
        request.compareOrAdd = 1;
    }

    @Override
    public void run(long iterations) {
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            samples.stamp();
            isCompleted = false;
            queuePair.post(request);
            awaitCompletion();
        }
    }

    private void awaitCompletion() {
        while (!isCompleted) {
            queue.poll(this, 1);
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
