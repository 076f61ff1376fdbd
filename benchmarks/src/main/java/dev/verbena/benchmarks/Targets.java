package dev.verbena.benchmarks;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.testing.trace.ShippedTrace;

/**
 * All targets. That tensors are compared with everything that the address API is compared with is for information, as is Netty with a
 * cache: the targets are set against Netty as it comes.
 */
final class Targets {
    static final String RANDOM = "random";
    static final String ADDRESS = Subject.VERBENA_ADDRESS.label;
    static final String TENSOR = Subject.VERBENA_TENSOR.label;
    static final String MIMALLOC_C = "mimalloc-c";
    /** The Java heap that a reshaped tensor takes: one object. */
    static final String ONE_TENSOR = "one-reshaped-tensor";

    private static final String MIMALLOC_FFM = Subject.MIMALLOC_FFM.label;
    private static final String NETTY_POOLED = Subject.NETTY_POOLED.label;
    private static final String NETTY_CACHED = Subject.NETTY_CACHED.label;
    private static final String NETTY_ADAPTIVE = Subject.NETTY_ADAPTIVE.label;
    private static final String CONFINED_ARENA = Subject.CONFINED_ARENA.label;

    private static final double PAUSE_NS_MAX = 5000;
    /** So many threads reach at least that part of so many times what one does. */
    private static final double LINEAR_SHARE_MIN = 0.8;
    /** Many threads on fewer processors reach at least that part of what as many as there are processors do. */
    private static final double CROWDED_SHARE_MIN = 0.9;
    private static final double REFUSAL_NS_MAX = 200;
    private static final double REFUSAL_BESIDE_NS_MAX = 1000;
    /** Threads beside one that asks in vain reach at least that part of what they do beside one that asks another arena. */
    private static final double BESIDE_REFUSAL_SHARE_MIN = 0.95;
    /** What rounding and holes together may add to the peak of live bytes. */
    private static final double REGION_MAX = 1.15;

    private final List<Target> targets = new ArrayList<>();

    private Targets() {}

    /** Of a machine with so many processors. */
    static List<Target> all(int processors) {
        Targets all = new Targets();
        all.pairs();
        all.handOver();
        all.largeRuns();
        all.threads(processors);
        all.refusals();
        all.virtual();
        all.limits();
        return all.targets;
    }

    private void pairs() {
        compare(Measure.PAIR, RANDOM, ADDRESS, MIMALLOC_C, 1.0);
        compare(Measure.PAIR, RANDOM, TENSOR, MIMALLOC_C, 1.5);
        compare(Measure.PAIR, RANDOM, ADDRESS, MIMALLOC_FFM, 0.85);
        compare(Measure.PAIR, RANDOM, ADDRESS, NETTY_POOLED, 0.15);
        compare(Measure.PAIR, RANDOM, ADDRESS, NETTY_ADAPTIVE, 0.05);
        compare(Measure.PAIR, RANDOM, ADDRESS, CONFINED_ARENA, 0.05);
        compare(Measure.PAIR, RANDOM, ADDRESS, NETTY_CACHED, Double.NaN);
        compare(Measure.PAIR, RANDOM, Subject.VERBENA_ENDING_VIEW.label, Subject.VERBENA_VIEW.label, Double.NaN);
        for (String other : List.of(MIMALLOC_FFM, NETTY_POOLED, NETTY_CACHED, NETTY_ADAPTIVE, CONFINED_ARENA)) {
            compare(Measure.PAIR, RANDOM, TENSOR, other, Double.NaN);
        }
    }

    private void handOver() {
        compare(Measure.HAND_OVER, RANDOM, ADDRESS, NETTY_POOLED, 0.5);
        compare(Measure.HAND_OVER, RANDOM, ADDRESS, NETTY_CACHED, Double.NaN);
        compare(Measure.HAND_OVER, RANDOM, TENSOR, NETTY_POOLED, Double.NaN);
        compare(Measure.HAND_OVER, RANDOM, TENSOR, NETTY_CACHED, Double.NaN);
        compare(Measure.HAND_OVER, RANDOM, TENSOR, MIMALLOC_FFM, Double.NaN);
    }

    private void largeRuns() {
        for (ShippedTrace trace : Rounds.MODELS) {
            for (String subject : List.of(ADDRESS, TENSOR)) {
                compare(Measure.LARGE_RUNS, Rounds.name(trace), subject, MIMALLOC_C, 1.0);
                compare(Measure.LARGE_RUNS, Rounds.name(trace), subject, NETTY_POOLED, 1.0);
            }
        }
    }

    private void threads(int processors) {
        for (Replacement replacement : List.of(Replacement.SMALL, Replacement.LARGE)) {
            String alone = new Crowd(replacement, 1).label();
            for (int threads : List.of(Crowd.THREADS_FEWER, Crowd.THREADS_MANY)) {
                String together = new Crowd(replacement, threads).label();
                boolean isForThisMachine = threads <= processors;
                threads(together, alone, ADDRESS, LINEAR_SHARE_MIN * threads, isForThisMachine);
                threads(together, together, MIMALLOC_C, 1.0, isForThisMachine);
            }
            if (processors < Crowd.THREADS_MANY) {
                threads(new Crowd(replacement, Crowd.THREADS_MANY).label(), new Crowd(replacement, processors).label(),
                        ADDRESS, CROWDED_SHARE_MIN, true);
            }
        }
        if (processors < Crowd.THREADS_MANY) {
            threads(new Crowd(Replacement.LARGE, Crowd.THREADS_MANY).label(),
                    new Crowd(Replacement.LARGE_OF_MANY, processors).label(), ADDRESS, CROWDED_SHARE_MIN, true);
        }
    }

    private void threads(String workload, String againstWorkload, String against, double min,
            boolean isForThisMachine) {
        targets.add(new Target(new Key(Measure.THREADS, workload, ADDRESS),
                new Key(Measure.THREADS, againstWorkload, against), min, isForThisMachine));
    }

    private void refusals() {
        String subject = Subject.VERBENA_HOLES.label;
        for (Companion companion : Companion.ASKING) {
            limit(Measure.REFUSAL, companion.label(), subject, REFUSAL_NS_MAX);
            for (int threads : Companion.CROWDS) {
                limit(Measure.REFUSAL, companion.label(threads), subject, REFUSAL_BESIDE_NS_MAX);
                targets.add(new Target(new Key(Measure.BESIDE_REFUSAL, companion.label(threads), subject),
                        new Key(Measure.BESIDE_REFUSAL, companion.elsewhere().label(threads), subject),
                        BESIDE_REFUSAL_SHARE_MIN));
            }
        }
    }

    private void virtual() {
        targets.add(new Target(new Key(Measure.VIRTUAL, ManyThreads.Kind.VIRTUAL.label(), ADDRESS),
                new Key(Measure.VIRTUAL, ManyThreads.Kind.PLATFORM.label(), ADDRESS), Double.NaN));
    }

    private void limits() {
        limit(Measure.PAUSE, RANDOM, ADDRESS, PAUSE_NS_MAX);
        limit(Measure.PAUSE, RANDOM, TENSOR, PAUSE_NS_MAX);
        limit(Measure.PAUSE, new Crowd(Replacement.RANDOM, Crowd.THREADS_FEWER).label(), ADDRESS, PAUSE_NS_MAX);
        for (ShippedTrace trace : ShippedTrace.values()) {
            limit(Measure.REGION, Rounds.name(trace), TENSOR, REGION_MAX);
            limit(Measure.REGION, Regions.nameByWorkers(trace), TENSOR, REGION_MAX);
        }
        limit(Measure.HEAP, RANDOM, ADDRESS, 0);
        compare(Measure.HEAP, RANDOM, TENSOR, ONE_TENSOR, 1.0);
    }

    private void compare(Measure measure, String workload, String subject, String against, double ratioMax) {
        targets.add(new Target(new Key(measure, workload, subject), new Key(measure, workload, against), ratioMax));
    }

    private void limit(Measure measure, String workload, String subject, double max) {
        targets.add(new Target(new Key(measure, workload, subject), null, max));
    }
}
