package dev.verbena.benchmarks;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/**
 * A request that is refused, by a thread that is alone.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RefusedRequest {
    /** What it asks for. */
    @Param
    public Companion companion;

    /** The thread has blocks of its own, which stay. */
    @Benchmark
    public void ask(ReplacingThread thread) {
        companion.act((VerbenaAddressSlots) thread.slots());
    }
}
