package dev.verbena.cli.perf;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * How the queue pairs of either side are made: one for control and, on another completion queue, those that are measured.
 *
 * <p>Threading: thread-safe.
 */
final class QueuePairFactory {
    /** perftest's retry count for a receiver that is not ready is 7, which stands for ever. */
    private static final long RECEIVER_NOT_READY_TIMEOUT_NS = Long.MAX_VALUE;

    private final Fabric fabric;
    private final PerfOptions options;

    QueuePairFactory(Fabric fabric, PerfOptions options) {
        this.fabric = fabric;
        this.options = options;
    }

    /** Whether this side is sent messages by the measured queue pairs. */
    boolean postsReceives() {
        return options.test().isPingPong() && options.test().isSend()
                || options.test() == PerfTest.SEND_BW && options.isServer();
    }

    /** @param count of all, the one for control included */
    List<QueuePairOptions> create(int count) {
        int sendDepth = powerOfTwo(options.sendDepth());
        int receiveDepth = postsReceives() ? powerOfTwo(options.receiveDepth()) : 1;
        CompletionQueue control = fabric.createCompletionQueue(2 * ControlPair.DEPTH, CompletionMode.EVENTS);
        CompletionQueue measured = fabric.createCompletionQueue((count - 1) * (sendDepth + receiveDepth));
        List<QueuePairOptions> all = new ArrayList<>();
        all.add(new QueuePairOptions(control, ControlPair.DEPTH, ControlPair.DEPTH, RECEIVER_NOT_READY_TIMEOUT_NS));
        while (all.size() < count) {
            all.add(new QueuePairOptions(measured, sendDepth, receiveDepth, RECEIVER_NOT_READY_TIMEOUT_NS)
                    .withElementCountMax(1).withInlineByteSizeMax(options.inlineByteSizeMax()));
        }
        return all;
    }

    private static int powerOfTwo(int depth) {
        return Integer.highestOneBit(2 * depth - 1);
    }
}
