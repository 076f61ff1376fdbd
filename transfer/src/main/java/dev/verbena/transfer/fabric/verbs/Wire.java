package dev.verbena.transfer.fabric.verbs;

import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.verbs.CompletionQueue;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.QueuePairType;

/**
 * What the queue pairs of a fabric are made of, by what its device can do.
 *
 * <p>Threading: immutable.
 */
enum Wire {
    /** The device does all that the fabric promises. */
    DIRECT(1, 1, 0) {
        @Override
        Ends ends(VerbsFabric fabric, QueuePair pair, int queueIndex, QueuePairOptions options,
                int inlineByteSizeMax) {
            return new Ends(new DirectSends(pair, queueIndex, options.sendDepth(), options.elementCountMax(),
                    inlineByteSizeMax), new ReceivePath());
        }
    },
    /** Messages have headers, and what is to be reported is asked for: {@link FramedSends}. */
    FRAMED(FramedSends.REQUESTS_EACH, FramedSends.REQUESTS_MORE, MessageHeader.BYTE_SIZE) {
        @Override
        Ends ends(VerbsFabric fabric, QueuePair pair, int queueIndex, QueuePairOptions options,
                int inlineByteSizeMax) {
            FrameMemory memory = new FrameMemory(fabric.domain(), options.sendDepth(), options.receiveDepth());
            FramedSends sends = new FramedSends(pair, queueIndex, options.sendDepth(), options.elementCountMax(),
                    inlineByteSizeMax, memory);
            return new Ends(sends, new FramedReceives(memory, sends));
        }
    };

    /** Both directions of a queue pair. */
    record Ends(SendPath sends, ReceivePath receives) {}

    private static final int DEPTH_MAX = 4096;

    private final int requestsEach;
    private final int requestsMore;
    private final int headerByteSize;

    /**
     * @param requestsEach of the device, for one of a user, at most
     * @param requestsMore of the device that are the fabric's own, at a time
     */
    Wire(int requestsEach, int requestsMore, int headerByteSize) {
        this.requestsEach = requestsEach;
        this.requestsMore = requestsMore;
        this.headerByteSize = headerByteSize;
    }

    static Wire of(DeviceTraits traits) {
        return traits.isTold() ? DIRECT : FRAMED;
    }

    abstract Ends ends(VerbsFabric fabric, QueuePair pair, int queueIndex, QueuePairOptions options,
            int inlineByteSizeMax);

    /** What the device is asked for to make a queue pair. */
    final dev.verbena.verbs.QueuePairOptions deviceOptions(QueuePairOptions options, CompletionQueue queue) {
        int headerElements = headerByteSize == 0 ? 0 : 1;
        return dev.verbena.verbs.QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue)
                .withDepth(sendDepth(options), options.receiveDepth())
                .withElementCountMax(options.elementCountMax() + headerElements, 1 + headerElements)
                .withInlineByteSizeMax(options.inlineByteSizeMax());
    }

    /** Entries of its completion queue that a queue pair may fill. */
    final int entries(QueuePairOptions options) {
        return sendDepth(options) + options.receiveDepth();
    }

    private int sendDepth(QueuePairOptions options) {
        return requestsEach * options.sendDepth() + requestsMore;
    }

    /** Requests of a user, given how many the device takes; and no more than {@link Suspects} can ask about. */
    final int depthMax(int ofDevice) {
        int most = Math.min((ofDevice - requestsMore) / requestsEach, this == DIRECT ? DEPTH_MAX : Suspects.COUNT_MAX);
        return Integer.highestOneBit(most);
    }

    /** Bytes of a user's message. Some devices that say 4 GiB count in signed numbers, of which soft-iWARP is one. */
    final long messageByteSizeMax(long ofPort) {
        return this == DIRECT ? ofPort : Math.min(ofPort, Integer.MAX_VALUE) - headerByteSize;
    }
}
