package dev.verbena.cli.perf;

import dev.verbena.transfer.spi.QueuePair;

/**
 * Either side of {@code put_lat}: both put in turn, and each sees the other's put in its own memory, in the last byte, which counts; the server puts
 * first. As {@code ucp_put_lat} of UCX's {@code ucx_perftest} does.
 *
 * <p>Threading: confined to the command's thread.
 */
final class PutLatencyPart implements Part {
    /** Of a little-endian word the last byte. */
    private static final int LAST_BYTE_SHIFT = Long.SIZE - Byte.SIZE;

    private final Puts puts;
    private final ArrivalCounter arrivals;
    private final QueuePair queuePair;
    private final LatencySamples samples;
    private final long offset;
    private final long remoteAddress;
    private final boolean isFirst;
    private byte sent;

    PutLatencyPart(Side side, long byteSize, long iterations) {
        puts = new Puts(side, byteSize);
        arrivals = new ArrivalCounter(side, byteSize);
        queuePair = side.first();
        offset = side.buffers().sendOffset(0);
        remoteAddress = side.remoteAddress(0);
        isFirst = side.options().isServer();
        samples = new LatencySamples(byteSize, iterations, 2);
    }

    @Override
    public void run(long iterations) {
        samples.begin();
        for (long i = 0; i < iterations; i++) {
            if (!isFirst || i > 0) {
                arrivals.awaitNext();
            }
            puts.put(queuePair, offset, remoteAddress, (long) ++sent << LAST_BYTE_SHIFT);
            samples.stamp();
        }
        if (isFirst) {
            arrivals.awaitNext();
        }
    }

    @Override
    public Figures figures() {
        return samples.figures();
    }
}
