package dev.verbena.cli.perf;

import java.util.List;
import java.util.stream.LongStream;

import dev.verbena.transfer.NetworkOptions;

/**
 * A checked order.
 *
 * @param host of the server; null if this is the server
 * @param network of an RDMA fabric
 * @param byteSize of a message; ignored with {@code isAll}
 * @param isAll whether to measure every power of two from 2 to 2^23
 * @param iterations messages per queue pair; 0 with a duration
 * @param durationSeconds how long to measure; 0 with a count
 * @param sendDepth requests outstanding per queue pair
 * @param receiveDepth receives posted per queue pair, for sends
 * @param listSize requests posted at once
 * @param signalEvery every how many requests one is signaled; 0: as perftest chooses
 * @param inlineByteSizeMax messages of up to so many bytes go into their requests
 * @param hasPeak whether the best stretch is looked for
 * @param isGigabit whether bandwidth is reported in Gb/s
 * @param warmUp posts that must pass without the JIT compiling before anything is measured
 */
record PerfOptions(PerfTest test, String host, int port, String fabric, NetworkOptions network, long byteSize,
        boolean isAll, long iterations,
        int durationSeconds, int queuePairs, int sendDepth, int receiveDepth, int listSize, int signalEvery,
        int inlineByteSizeMax, boolean hasPeak, boolean isGigabit, int warmUp) {
    static final int ALL_EXPONENT_MAX = 23;
    /** From here on perftest signals every request: few large messages make a coarse clock of every hundredth completion. */
    private static final long SIGNAL_ALL_BYTE_SIZE = 8192;
    private static final int SIGNAL_EVERY = 100;

    boolean isServer() {
        return host == null;
    }

    List<Long> byteSizes() {
        return isAll ? LongStream.rangeClosed(1, ALL_EXPONENT_MAX).mapToObj(i -> 1L << i).toList() : List.of(byteSize);
    }

    long byteSizeMax() {
        return byteSizes().getLast();
    }

    /** The depth that makes sense for so many messages. */
    int depth(long iterations) {
        return (int) Math.max(listSize, Math.min(sendDepth, iterations));
    }

    /** Every how many requests one is signaled, by perftest's rules ({@code force_dependecies}). */
    int signalEvery(long iterations) {
        int every = signalEvery > 0 ? signalEvery
                : listSize > 1 ? listSize
                        : !isAll && test.isBandwidth && byteSize > SIGNAL_ALL_BYTE_SIZE ? 1
                                : SIGNAL_EVERY;
        return Math.min(every, depth(iterations));
    }
}
