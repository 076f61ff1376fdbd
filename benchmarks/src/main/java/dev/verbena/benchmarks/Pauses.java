package dev.verbena.benchmarks;

import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Histogram;
import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long single pairs of free and allocate take, by threads that share an allocator. Each is timed by {@link System#nanoTime}, whose own
 * time is in it; beside, readings of the clock that last as long show what the clock and the machine do by themselves: an interrupt lands in
 * what is longer more often.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as many threads as JMH is told.
 */
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Pauses {
    private static final int BURST = 1024;

    /** Longer ones count as this long. */
    private static final long PAUSE_NS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;
    private static final double NEARLY_ALL = 99.99;

    /** What was timed, of one thread or of all. */
    private static final class Times {
        final Histogram pairs = new Histogram(PAUSE_NS_MAX, DIGITS);
        final Histogram nothing = new Histogram(PAUSE_NS_MAX, DIGITS);

        void reset() {
            pairs.reset();
            nothing.reset();
        }

        void add(Times other) {
            pairs.add(other.pairs);
            nothing.add(other.nothing);
        }
    }

    /** Of all threads. */
    @State(Scope.Benchmark)
    public static class All {
        private final Times times = new Times();
        private int missing;

        /** The warm-up does not count. */
        @Setup(Level.Iteration)
        public void reset(SharedSlots shared) {
            times.reset();
            missing = shared.threads();
        }

        /** Whether it was the last one that was missing. */
        private synchronized boolean add(Times ofOne) {
            times.add(ofOne);
            return --missing == 0;
        }
    }

    /** What JMH reports of an iteration, as a sum over the threads: one of them has it all, the others nothing. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Percentiles {
        /** Nanoseconds that 99.99 % of pairs do not exceed. */
        public double p9999;
        /** The longest. */
        public double max;
        /** As p9999, with nothing to do. */
        public double nothingP9999;
        /** Half of them take no longer. */
        public double nothingP50;

        private final Times times = new Times();
        /** Readings of the clock that last as long as a pair. */
        private int readings = 1;

        /** The warm-up does not count, but says how long a pair is. */
        @Setup(Level.Iteration)
        public void reset() {
            if (times.pairs.getTotalCount() > 0) {
                long readingNs = Math.max(1, times.nothing.getValueAtPercentile(50) / readings);
                readings = (int) Math.max(1, Math.ceilDiv(times.pairs.getValueAtPercentile(50), readingNs));
            }
            times.reset();
        }

        /** Puts all threads' together. */
        @TearDown(Level.Iteration)
        public void read(All all) {
            if (all.add(times)) {
                p9999 = all.times.pairs.getValueAtPercentile(NEARLY_ALL);
                max = all.times.pairs.getMaxValue();
                nothingP9999 = all.times.nothing.getValueAtPercentile(NEARLY_ALL);
                nothingP50 = all.times.nothing.getValueAtPercentile(50);
            }
        }
    }

    /** Some calls of the workload. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void pairs(ReplacingThread thread, Percentiles percentiles) {
        for (int i = 0; i < BURST; i++) {
            long startNs = System.nanoTime();
            thread.replaceNext();
            long endNs = System.nanoTime();
            long nothingNs = endNs;
            for (int reading = 0; reading < percentiles.readings; reading++) {
                nothingNs = System.nanoTime();
            }
            record(percentiles.times.pairs, endNs - startNs);
            record(percentiles.times.nothing, nothingNs - endNs);
        }
    }

    private static void record(Histogram histogram, long ns) {
        histogram.recordValue(Math.min(ns, PAUSE_NS_MAX));
    }
}
