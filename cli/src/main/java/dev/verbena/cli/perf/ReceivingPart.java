package dev.verbena.cli.perf;

import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionHandler;
import dev.verbena.transfer.spi.CompletionQueue;

/**
 * The server of {@code send_bw}: takes what arrives and posts a receive for each.
 *
 * <p>Threading: confined to the command's thread.
 */
final class ReceivingPart implements Part, CompletionHandler {
    private static final int POLL_COUNT_MAX = 16;

    private final CompletionQueue queue;
    private final Trouble trouble;
    private final Receives receives;
    private final int queuePairs;
    private final long byteSize;
    /** Over all runs: the client may have begun the next one when this side ends a run. */
    private long expected;
    private long arrived;

    ReceivingPart(Side side, long byteSize) {
        queue = side.queue();
        trouble = side.trouble();
        receives = side.receives();
        queuePairs = side.queuePairs().size();
        this.byteSize = byteSize;
    }

    @Override
    public void run(long iterations) {
        expected += iterations * queuePairs;
        while (arrived < expected) {
            queue.poll(this, POLL_COUNT_MAX);
            trouble.throwIfAny();
        }
    }

    @Override
    public void onCompletion(Completion completion) {
        if (!trouble.judge(completion)) {
            return;
        }
        if (completion.byteSize != byteSize) {
            trouble.note("arrived=" + completion.byteSize + " bytes of a message of " + byteSize);
        }
        arrived++;
        receives.post((int) completion.workRequestId);
    }
}
