package dev.verbena.transfer.exchange;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.function.LongSupplier;

/**
 * Up to which size a tensor goes in a message, and why. In a message it is copied by a CPU at both ends; read by the receiver it costs two
 * requests instead, the read and the release word. Where both cost the same is the threshold (AR-gRPC §4: tuned, not fixed).
 *
 * <p>What copying takes is timed once; what a request takes when the exchange is connected, and again with one message in
 * {@link #TIMED_ONE_IN}, since a program that has just started is slow. The least counts, and is forgotten slowly: what a request took
 * longer, somebody else took.
 *
 * <p>Where a CPU moves what is written, these are not all: each line of a message goes twice from one core's cache to another's, of what is read
 * only once. That is the same kind of thing as a request's own way, some lines back and forth, so that where both cost the same depends little on
 * how far apart the cores are. It depends on the processor: 3 to 4 KiB on a Zen 4, more than 7 on a Zen 5; the more where the
 * tensor has just been written, as those lines, too, have to come back.
 *
 * <p><b>Owner:</b> {@link AdaptiveExchangeSender}. <b>Threading:</b> written while driving; the size and the reason are read by any thread.
 */
final class EagerThreshold {
    static final int MAX = ExchangeEntry.PAYLOAD_BYTE_SIZE_MAX;
    /** Below that a request costs more on every machine. */
    static final int MIN = 512;
    /** The most where a CPU moves what is written. */
    static final int MAX_BY_CPU = 4 * 1024;
    private static final int TIMED_ONE_IN = 8;
    /** What is forgotten of the least with each that took longer. */
    private static final int FORGOTTEN_SHIFT = 7;
    private static final int COPIES = 16;
    static final long COPY_BYTE_SIZE = 64 * 1024;

    private final boolean isConfigured;
    /** What a copy of {@link #COPY_BYTE_SIZE} bytes takes. */
    private final long copyNs;
    private final int byteSizeMax;
    private volatile long requestNs;
    private volatile int byteSize;

    private EagerThreshold(boolean isConfigured, int byteSize, long copyNs, int byteSizeMax) {
        this.isConfigured = isConfigured;
        this.byteSize = byteSize;
        this.copyNs = copyNs;
        this.byteSizeMax = byteSizeMax;
    }

    static EagerThreshold configured(int byteSize) {
        return new EagerThreshold(true, byteSize, 0, byteSize);
    }

    /**
     * By what a request takes, and a copy of {@link #COPY_BYTE_SIZE} bytes.
     *
     * @param movesByCpu whether a CPU moves what is written
     */
    static EagerThreshold measured(long requestNs, long copyNs, boolean movesByCpu) {
        EagerThreshold threshold = new EagerThreshold(false, MIN, Math.max(copyNs, 1), movesByCpu ? MAX_BY_CPU : MAX);
        threshold.take(requestNs);
        return threshold;
    }

    /** The shortest of some copies, by that clock. */
    static long copyNs(LongSupplier nanoTime) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment from = arena.allocate(COPY_BYTE_SIZE);
            MemorySegment to = arena.allocate(COPY_BYTE_SIZE);
            long bestNs = Long.MAX_VALUE;
            for (int i = 0; i < COPIES; i++) {
                long beginNs = nanoTime.getAsLong();
                to.copyFrom(from);
                bestNs = Math.min(bestNs, nanoTime.getAsLong() - beginNs);
            }
            return bestNs;
        }
    }

    /** Whether the how manieth message is to be timed. */
    boolean isTimed(long messages) {
        return !isConfigured && messages % TIMED_ONE_IN == 0;
    }

    /** A message took so long, from its post to its completion. */
    void onRequest(long ns) {
        long least = requestNs;
        take(Math.min(ns, least + (least >> FORGOTTEN_SHIFT) + 1));
    }

    private void take(long ns) {
        requestNs = Math.max(ns, 0);
        double equal = (double) requestNs * COPY_BYTE_SIZE / copyNs;
        byteSize = (int) Math.clamp(equal, MIN, byteSizeMax);
    }

    /** The largest that is eager. */
    int byteSize() {
        return byteSize;
    }

    /** In words. */
    String reason() {
        if (isConfigured) {
            return "as configured";
        }
        return "measured: a request takes " + requestNs + " ns, a copy of " + COPY_BYTE_SIZE + " bytes " + copyNs
                + " ns"
                + (byteSizeMax == MAX_BY_CPU ? "; a CPU moves it, so no more than " + MAX_BY_CPU + " bytes" : "");
    }
}
