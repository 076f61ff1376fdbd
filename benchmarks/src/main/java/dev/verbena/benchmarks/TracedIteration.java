package dev.verbena.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * A program with a tracer and one without, each with memory of its own, in one JVM and in turn, some milliseconds each: what the machine does meanwhile
 * it does to both.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 300, timeUnit = TimeUnit.MILLISECONDS)
@Measurement(iterations = 30, time = 100, timeUnit = TimeUnit.MILLISECONDS)
@Fork(1)
public class TracedIteration {
    private static final com.sun.management.ThreadMXBean THREADS = (com.sun.management.ThreadMXBean) ManagementFactory
            .getThreadMXBean();
    /** Of tensors that are made in a turn. */
    private static final long TURN_BYTE_SIZE = 64L << 20;

    /** Who tells the tracer what. */
    public enum Traced {
        /** It has learned all there is. */
        NODES_LATER(true, false),
        /** The same, without nodes. */
        CALLS_LATER(false, false),
        /** It is new. */
        NODES_FIRST(true, true),
        /** The same, without nodes. */
        CALLS_FIRST(false, true);

        final boolean hasNodes;
        final boolean isFirst;

        Traced(boolean hasNodes, boolean isFirst) {
            this.hasNodes = hasNodes;
            this.isFirst = isFirst;
        }
    }

    /** What has been measured. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Counts {
        /** Of the program without a tracer. */
        public long untracedNs;
        /** Of the one with it. */
        public long tracedNs;
        /** On the Java heap, without a tracer. */
        public long untracedBytes;
        /** And with it. */
        public long tracedBytes;
        /** Of each of the two. */
        public long iterations;
    }

    /** How it is traced. */
    @Param
    public Traced traced;

    /** Of each tensor. */
    @Param({"4096", "65536", "524288"})
    public int byteSize;

    private TracedProgram with;
    private TracedProgram without;
    private int turnIterations;

    /** Both programs start. */
    @Setup
    public void open() {
        with = TracedProgram.with(byteSize, traced);
        without = TracedProgram.without(byteSize, traced);
        turnIterations = (int) Math.ceilDiv(TURN_BYTE_SIZE, (long) TracedProgram.NODES * byteSize);
    }

    /** Frees all. */
    @TearDown
    public void close() {
        with.close();
        without.close();
    }

    /** A turn of each. */
    @Benchmark
    public void inTurn(Counts counts) {
        long bytesAtFirst = THREADS.getCurrentThreadAllocatedBytes();
        long nsAtFirst = System.nanoTime();
        run(without);
        long nsBetween = System.nanoTime();
        long bytesBetween = THREADS.getCurrentThreadAllocatedBytes();
        long nsAtStart = System.nanoTime();
        run(with);
        counts.tracedNs += System.nanoTime() - nsAtStart;
        counts.tracedBytes += THREADS.getCurrentThreadAllocatedBytes() - bytesBetween;
        counts.untracedNs += nsBetween - nsAtFirst;
        counts.untracedBytes += bytesBetween - bytesAtFirst;
        counts.iterations += turnIterations;
    }

    private void run(TracedProgram program) {
        for (int i = 0; i < turnIterations; i++) {
            program.iteration();
        }
    }
}
