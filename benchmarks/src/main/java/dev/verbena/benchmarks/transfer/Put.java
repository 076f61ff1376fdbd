package dev.verbena.benchmarks.transfer;

import java.util.List;
import java.util.stream.Stream;

/**
 * What is measured of puts of one size: latency in microseconds, half of the median of round trips in which each end sees the other's put in its own memory; or
 * bandwidth in MiB a second, the bytes of all puts by the time from the first until all are complete where they come from.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Put(boolean isLatency, long byteSize) {
    static final List<Put> ALL = Stream.concat(
            Stream.of(8L, 64L, 4L << 10).map(byteSize -> new Put(true, byteSize)),
            Stream.of(4L << 10, 64L << 10, 1L << 20, 16L << 20, 64L << 20).map(byteSize -> new Put(false, byteSize)))
            .toList();

    /** From here on a copy of ours goes past the caches. */
    private static final long LARGE_BYTE_SIZE = 16 << 20;
    private static final int LATENCY_COUNT = 100_000;
    /** ucx_perftest takes the median of its last 2048, also where there were fewer. */
    private static final int LATENCY_COUNT_QUICK = 5000;
    private static final long BANDWIDTH_BYTE_SIZE = 4L << 30;
    private static final int BANDWIDTH_COUNT_MAX = 1_000_000;
    private static final int BANDWIDTH_COUNT_QUICK = 10;

    String title() {
        return isLatency ? "latency" : "bandwidth";
    }

    String unit() {
        return isLatency ? "us" : "MiB/s";
    }

    /** How many make a measurement. */
    long count(boolean isQuick) {
        if (isLatency) {
            return isQuick ? LATENCY_COUNT_QUICK : LATENCY_COUNT;
        }
        return isQuick ? BANDWIDTH_COUNT_QUICK : Math.min(BANDWIDTH_BYTE_SIZE / byteSize, BANDWIDTH_COUNT_MAX);
    }

    /** Of ours to UCX's figure: at most of latencies, at least of bandwidths. */
    double target() {
        return isLatency || byteSize < LARGE_BYTE_SIZE ? 1.0 : 1.2;
    }

    boolean isMet(double ratio) {
        return isLatency ? ratio <= target() : ratio >= target();
    }
}
