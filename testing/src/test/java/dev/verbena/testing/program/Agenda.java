package dev.verbena.testing.program;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Striping;

/**
 * What processes do in a program over a real fabric: a seed says it, to each of them the same.
 *
 * @param collectives what all of them do together, as one group; none if they are none
 * @param disturbed whom it happens to
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record Agenda(long seed, int devices, List<Planned> streams, List<Collective> collectives,
        Disturbance disturbance, int disturbed, long disturbedNs) {
    private static final int STREAMS_MAX = 8;
    private static final int COLLECTIVES_MAX = 12;
    private static final int WIDTH_MAX = 100;
    private static final int LARGE_WIDTH_MAX = 3_000;
    private static final int HOLD_NS_MAX = 20_000;
    private static final int LONG_HOLD_NS_MAX = 2_000_000;
    private static final int LATE_NS_MAX = 20_000_000;
    private static final int DISTURBED_NS_MAX = 10_000_000;

    /** What happens to one of them in the midst of it. */
    enum Disturbance {
        NONE, ABORT, CLOSE, KILL
    }

    /**
     * A stream between two of them.
     *
     * @param count tensors that are offered
     * @param isSenderClosing whether the sending end closes after the last one
     * @param receivedMax tensors after which the receiving end closes; at least one, else its sender might never find it
     * @param lateNs when the receiver is announced
     */
    record Planned(Stream stream, int from, int to, int count, boolean isSenderClosing, int receivedMax, int holdNsMax,
            long lateNs) {}

    static Agenda of(long seed) {
        Random random = new Random(seed * 0x9e37_79b9_7f4a_7c15L);
        random.nextLong();
        int devices = 2 + random.nextInt(2);
        List<Planned> streams = new ArrayList<>();
        for (int i = 1 + random.nextInt(STREAMS_MAX); i > 0; i--) {
            int from = random.nextInt(devices);
            int to = (from + 1 + random.nextInt(devices - 1)) % devices;
            Stream stream = Stream.random(streams.size(), random,
                    random.nextInt(6) == 0 ? LARGE_WIDTH_MAX : WIDTH_MAX);
            int count = random.nextInt(SendingEnd.TENSORS_MAX);
            streams.add(new Planned(stream, from, to, count, random.nextInt(4) == 0,
                    random.nextInt(6) == 0 ? Math.max(1, random.nextInt(count + 1)) : Integer.MAX_VALUE,
                    random.nextInt(6) == 0 ? LONG_HOLD_NS_MAX : HOLD_NS_MAX,
                    random.nextInt(4) == 0 ? random.nextInt(LATE_NS_MAX) : 0));
        }
        Disturbance disturbance = random.nextBoolean() ? Disturbance.NONE
                : Disturbance.values()[1 + random.nextInt(Disturbance.values().length - 1)];
        return new Agenda(seed, devices, streams, collectives(seed, devices), disturbance, random.nextInt(devices),
                random.nextInt(DISTURBED_NS_MAX));
    }

    /** In every second program. */
    private static List<Collective> collectives(long seed, int devices) {
        Random random = new Random(seed * 0x9e37_79b9_7f4a_7c15L + 1);
        random.nextLong();
        List<Collective> collectives = new ArrayList<>();
        for (int i = seed % 2 == 0 ? 2 + random.nextInt(COLLECTIVES_MAX) : 0; i > 0; i--) {
            collectives.add(i == 1 ? Collective.barrier(devices) : Collective.random(random, devices));
        }
        return collectives;
    }

    /** What one of them draws from while it runs. */
    Random random(int device) {
        return new Random(seed * 31 + device);
    }

    /** Callers or pollers, one or some, a deep or a shallow queue, tails or immediates, stripes or none. */
    RdmaDeviceOptions options(RdmaDeviceOptions defaults, int device) {
        Random random = new Random(~seed * 31 + device);
        random.nextLong();
        int queueDepth = random.nextBoolean() ? 4 : 16;
        Progress progress = random.nextBoolean() ? Progress.callers() : Progress.pollers();
        return defaults.withName("d" + device).withQueueDepth(queueDepth).withProgress(progress)
                .withArrivalMode(random.nextInt(3) == 0 ? ArrivalMode.IMMEDIATE : ArrivalMode.AUTO)
                .withQueuePairsPerPeer(2 + random.nextInt(3))
                .withStriping(Striping.over(1 + random.nextInt(3))
                        .withStripeByteSizeMin(Striping.STRIPE_BYTE_SIZE_LEAST << random.nextInt(5)))
                .withCompletionQueues(progress.byPollers() ? 1 + random.nextInt(3) : 1);
    }

    /** Whether nothing happens that lets anything fail, but that ends close. */
    boolean isHarmless() {
        return disturbance == Disturbance.NONE;
    }
}
