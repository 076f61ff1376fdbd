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
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/**
 * How long single calls of {@link RandomReplacement} take. Each is timed by {@link System#nanoTime}, whose own time is in it; beside, two
 * readings with nothing in between show what the clock and the machine do by themselves.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class Pauses {
    /** Longer ones count as this long. */
    private static final long PAUSE_NS_MAX = TimeUnit.SECONDS.toNanos(10);
    private static final int DIGITS = 3;

    /** Whose turn it is. */
    @Param
    public Subject subject;

    private final Workload workload = Workload.randomReplacement();
    private final Histogram calls = new Histogram(PAUSE_NS_MAX, DIGITS);
    private final Histogram nothing = new Histogram(PAUSE_NS_MAX, DIGITS);
    private Slots slots;

    /** What JMH reports of an iteration. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Percentiles {
        /** Nanoseconds that 99.99 % of calls do not exceed. */
        public double p9999;
        /** The longest. */
        public double max;
        /** As p9999, with nothing to do. */
        public double nothingP9999;
        /** Half of all readings of the clock are no further apart. */
        public double nothingP50;
    }

    /** All slots are full. */
    @Setup
    public void open() {
        slots = subject.open(workload, workload.slotCount());
        workload.fill(slots);
    }

    /** The warm-up does not count. */
    @Setup(Level.Iteration)
    public void reset() {
        calls.reset();
        nothing.reset();
    }

    /** All calls of the workload. */
    @Benchmark
    @OperationsPerInvocation(Workload.REPLACEMENTS)
    public void pairs(Percentiles percentiles) {
        int[] which = workload.calls();
        for (int call = 0; call < which.length; call++) {
            long startNs = System.nanoTime();
            slots.free(which[call]);
            long freedNs = System.nanoTime();
            slots.allocate(which[call], call);
            long allocatedNs = System.nanoTime();
            long endNs = System.nanoTime();
            record(calls, freedNs - startNs);
            record(calls, allocatedNs - freedNs);
            record(nothing, endNs - allocatedNs);
        }
        percentiles.p9999 = calls.getValueAtPercentile(99.99);
        percentiles.max = calls.getMaxValue();
        percentiles.nothingP9999 = nothing.getValueAtPercentile(99.99);
        percentiles.nothingP50 = nothing.getValueAtPercentile(50);
    }

    /** Gives everything back. */
    @TearDown
    public void close() {
        workload.empty(slots);
        slots.close();
    }

    private static void record(Histogram histogram, long ns) {
        histogram.recordValue(Math.min(ns, PAUSE_NS_MAX));
    }
}
