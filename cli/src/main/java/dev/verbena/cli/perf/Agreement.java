package dev.verbena.cli.perf;

import dev.verbena.cli.BadInputException;

/**
 * What each side tells the other first: what it was asked to measure, and where its buffers are.
 *
 * @param byteSize of the messages; 0 for all sizes
 * @param iterations 0 with a duration
 */
record Agreement(PerfTest test, long byteSize, long iterations, long durationSeconds, long queuePairs, long address,
        long rkey) {
    /** Changes with every change of what the two sides say to each other: "vperf" and a number. */
    private static final long VERSION = 0x7670_6572_6600_0002L;
    private static final String HINT = "; start both sides with the same test and options";

    static Agreement of(PerfOptions options, Buffers buffers) {
        return new Agreement(options.test(), options.isAll() ? 0 : options.byteSize(), options.iterations(),
                options.durationSeconds(), options.queuePairs(), buffers.region.address(), buffers.region.rkey());
    }

    long[] toWords() {
        return new long[]{VERSION, test.ordinal(), byteSize, iterations, durationSeconds, queuePairs, address, rkey};
    }

    static Agreement of(long[] words) {
        if (words[0] != VERSION || words[1] < 0 || words[1] >= PerfTest.values().length) {
            throw new BadInputException("the peer is another version of perf: it says 0x" + Long.toHexString(words[0])
                    + ", this is 0x" + Long.toHexString(VERSION) + "; use the same Verbena on both sides");
        }
        return new Agreement(PerfTest.values()[(int) words[1]], words[2], words[3], words[4], words[5], words[6],
                words[7]);
    }

    /** @throws BadInputException if the peer was asked for something else */
    void check(Agreement peer) {
        require(test == peer.test, "test", test, peer.test);
        require(byteSize == peer.byteSize, "-s", size(byteSize), size(peer.byteSize));
        require(iterations == peer.iterations && durationSeconds == peer.durationSeconds, "-n", count(this),
                count(peer));
        require(queuePairs == peer.queuePairs, "-q", queuePairs, peer.queuePairs);
    }

    private static Object size(long byteSize) {
        return byteSize == 0 ? "all" : byteSize;
    }

    private static Object count(Agreement agreement) {
        return agreement.durationSeconds == 0 ? agreement.iterations : agreement.durationSeconds + " seconds";
    }

    private static void require(boolean isSame, String name, Object mine, Object theirs) {
        if (!isSame) {
            throw new BadInputException("the two sides differ: " + name + " is " + mine + " here and " + theirs
                    + " at the peer" + HINT);
        }
    }
}
