package dev.verbena.transfer.spi;

/**
 * How one queue pair is made.
 *
 * @param completionQueue where it reports
 * @param sendDepth requests that may be outstanding; a power of two
 * @param receiveDepth receives that may be posted; a power of two
 * @param receiverNotReadyTimeoutNs how long a request waits for the peer to post a receive before it fails
 * @param elementCountMax elements of a request, as far as {@link Capabilities} allow, of a read as well; fewer make each request smaller for the device
 * @param inlineByteSizeMax the payload of a write or send of up to so many bytes goes into the request itself, as far as the device
 *     takes it: the device need not fetch it. The payload's memory still belongs to the request until it completes.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record QueuePairOptions(CompletionQueue completionQueue, int sendDepth, int receiveDepth,
        long receiverNotReadyTimeoutNs, int elementCountMax, int inlineByteSizeMax) {
    /** A payload, and what is to arrive with it. */
    private static final int DEFAULT_ELEMENT_COUNT_MAX = 2;
    /** Two cache lines: the messages of a protocol fit, and most devices take as many. */
    private static final int DEFAULT_INLINE_BYTE_SIZE_MAX = 128;

    /** With up to 2 elements, and inline payloads of up to 128 bytes. */
    public QueuePairOptions(CompletionQueue completionQueue, int sendDepth, int receiveDepth,
            long receiverNotReadyTimeoutNs) {
        this(completionQueue, sendDepth, receiveDepth, receiverNotReadyTimeoutNs, DEFAULT_ELEMENT_COUNT_MAX,
                DEFAULT_INLINE_BYTE_SIZE_MAX);
    }

    /** Scatter/gather elements of a request, from 1 to {@link Capabilities#elementCountMax}; 2 unless set. */
    public QueuePairOptions withElementCountMax(int countMax) {
        return new QueuePairOptions(completionQueue, sendDepth, receiveDepth, receiverNotReadyTimeoutNs, countMax,
                inlineByteSizeMax);
    }

    /** Payloads of up to so many bytes go into the request itself, as far as the device takes them; 0 for none, 128 unless set. */
    public QueuePairOptions withInlineByteSizeMax(int byteSizeMax) {
        return new QueuePairOptions(completionQueue, sendDepth, receiveDepth, receiverNotReadyTimeoutNs,
                elementCountMax, byteSizeMax);
    }
}
