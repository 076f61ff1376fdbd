package dev.verbena.benchmarks;

import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;

/**
 * Pairs of free and allocate by threads that share an allocator, of all of them together; the same in C:
 * benchmarks/src/main/c/allocator_peer.c. The memory is not touched.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as many threads as JMH is told.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class SharedReplacement {
    /** So short that threads which wait for a processor end together. */
    private static final int BURST = 1024;

    /** Some calls of the workload. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void pairs(ReplacingThread thread) {
        for (int i = 0; i < BURST; i++) {
            thread.replaceNext();
        }
    }
}
