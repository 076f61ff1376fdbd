package dev.verbena.benchmarks;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import dev.verbena.testing.trace.ShippedTrace;

/**
 * What a model's training steps allocate and free in large pieces; one invocation is the whole trace.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class LargeRuns {
    /** Whose turn it is. */
    @Param
    public Subject subject;

    /** Which model. */
    @Param
    public ShippedTrace trace;

    private Workload workload;
    private Slots slots;

    /** Nothing is live. */
    @Setup
    public void open() {
        workload = Workload.largeRunsOf(trace);
        slots = subject.open(workload, workload.slotCount());
    }

    /** All calls of the workload. */
    @Benchmark
    public void replay() {
        for (int call : workload.calls()) {
            if (call >= 0) {
                slots.allocate(call, call);
            } else {
                slots.free(~call);
            }
        }
    }

    /** Nothing is live. */
    @TearDown
    public void close() {
        slots.close();
    }
}
