package dev.verbena.transfer.exchange;

/**
 * How much of a tensor is read at a time: what takes about {@link #TARGET_NS}, by the chunks before it (AR-gRPC, whose chunks are tuned
 * too). Large enough that a request more costs nothing, small enough that what has landed is used early and others have their turn.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}. <b>Threading:</b> while driving; the size is read by any thread.
 */
final class ChunkSize {
    static final long MIN = 64 * 1024;
    static final long MAX = 1024 * 1024;
    private static final long INITIAL = 256 * 1024;
    private static final long TARGET_NS = 100_000;
    /** Of one chunk in the estimate: 1/4, so that one that was interrupted counts little. */
    private static final int WEIGHT_SHIFT = 2;

    private final long messageByteSizeMax;
    private volatile long byteSize;
    /** Estimated, of {@link #MIN} bytes; 0 before the first. */
    private long minNs;
    private long lastNs;

    ChunkSize(long messageByteSizeMax) {
        this.messageByteSizeMax = messageByteSizeMax;
        byteSize = Math.min(INITIAL, messageByteSizeMax);
    }

    long byteSize() {
        return byteSize;
    }

    /** Whether a chunk of that size tells anything: of a short one the request itself is the cost. */
    static boolean isTelling(long byteSize) {
        return byteSize >= MIN;
    }

    /** One has landed. Those under way share the way: it took from when it was posted, or the one before it landed, whichever was later. */
    void onLanded(long chunkByteSize, long postedNs, long nowNs) {
        long elapsedNs = Math.max(nowNs - (postedNs - lastNs < 0 ? lastNs : postedNs), 1);
        lastNs = nowNs;
        long ns = Math.max(elapsedNs / (chunkByteSize / MIN), 1);
        minNs = minNs == 0 ? ns : minNs + (ns - minNs >> WEIGHT_SHIFT);
        long best = MIN;
        while (best < MAX && minNs * (2 * best / MIN) <= TARGET_NS) {
            best *= 2;
        }
        byteSize = Math.min(best, messageByteSizeMax);
    }
}
