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
    /**
     * How often a byte is looked at before others may have the processor, which the peer or the fabric may need: as often as who waits for a
     * tensor spins alone, so that on one processor both measure the write and not the waiting.
     */
    private static final int SPINS_ALONE = 50;
    /** How often others may have it before somebody asks whether the peer still lives. */
    private static final int YIELDS_PER_LOOK = 256;

    private final QueuePair queuePair;
    private final CompletionQueue queue;
    private final Trouble trouble;
    private final Buffers buffers;
    private final LatencySamples samples;
    private final WorkRequest write;
    private final long sendCounter;
    private final long arrivalCounter;
    private final boolean isFirst;

    private byte sent;
    private byte arrived;
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
        arrivalCounter = buffers.receiveOffset(0) + byteSize - 1;
        // The peer does not write before it has heard that this side is here.
        buffers.byteRelease(arrivalCounter, arrived);
    }

    @Override
    public void run(long iterations) {
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            if (!isFirst || i > 0) {
                awaitArrival();
            }
            post();
            awaitCompletion();
        }
        if (isFirst) {
            awaitArrival();
        }
    }

    private void awaitArrival() {
        byte next = ++arrived;
        for (int yields = 0; !arrives(next); yields++) {
            if (yields % YIELDS_PER_LOOK == YIELDS_PER_LOOK - 1) {
                trouble.throwIfLost();
            }
            Thread.yield();
        }
    }

    private boolean arrives(byte next) {
        for (int i = 0; i < SPINS_ALONE; i++) {
            if (buffers.byteAcquire(arrivalCounter) == next) {
                return true;
            }
            Thread.onSpinWait();
        }
        return false;
    }

    private void post() {
        samples.posting();
        buffers.byteRelease(sendCounter, ++sent);
        isCompleted = false;
        queuePair.post(write);
    }

    private void awaitCompletion() {
        for (int spins = 1; !isCompleted; spins++) {
            queue.poll(this, 1);
            if (!isCompleted && spins % SPINS_ALONE == 0) {
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
