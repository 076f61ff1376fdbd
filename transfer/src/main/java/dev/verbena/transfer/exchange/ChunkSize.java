package dev.verbena.transfer.exchange;

/**
 * How much of a tensor is read at a time: what takes about {@link #TARGET_NS}, by the chunks before it (AR-gRPC, whose chunks are tuned
 * too). Large enough that a request more costs nothing, small enough that what has landed is used early and others have their turn.
 * Processors that copy 64 MiB in 7 ms by {@link #MAX} need 10 ms by chunks of a quarter of a millisecond.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeReceiver}. <b>Threading:</b> while driving; the size is read by any thread.
 */
final class ChunkSize {
    static final long MIN = 64 * 1024;
    /** From some megabytes on a processor copies past its caches (MemorySegment.copy on x86), a fifth faster or more. */
    static final long MAX = 4 * 1024 * 1024;
    /** Of a tensor, in each of its first chunks: what has landed of a large one is used early. */
    private static final int FIRST_PART = 128;
    /** That are asked for at once, so that the second may have to land before the first is heard of. */
    private static final int FIRST_COUNT = 2;
    private static final long INITIAL = 256 * 1024;
    private static final long TARGET_NS = 1_000_000;
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

    /** Of the next chunk of a tensor of that size, so much of which is asked for. */
    long byteSize(long tensorByteSize, long posted) {
        long first = tensorByteSize / FIRST_PART;
        return posted < FIRST_COUNT * first || posted == 0 ? Math.min(byteSize, Math.max(first, MIN)) : byteSize;
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
