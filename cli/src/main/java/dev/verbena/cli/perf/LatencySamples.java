package dev.verbena.cli.perf;

/**
 * When each message of a latency test was posted: the distance of two posts is what one round trip took.
 *
 * <p>Threading: confined to the command's thread.
 */
final class LatencySamples {
    private final long byteSize;
    private final int hops;
    private final long[] postedNs;
    private int count;

    /** @param hops messages between two posts of this side: 2 where the peer answers with one of its own */
    LatencySamples(long byteSize, long countMax, int hops) {
        this.byteSize = byteSize;
        this.hops = hops;
        postedNs = new long[Math.toIntExact(countMax)];
    }

    void begin() {
        count = 0;
    }

    void stamp() {
        postedNs[count++] = System.nanoTime();
    }

    LatencyFigures figures() {
        return LatencyFigures.of(byteSize, postedNs, hops);
    }
}
