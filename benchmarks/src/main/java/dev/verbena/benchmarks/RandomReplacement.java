package dev.verbena.benchmarks;

import java.lang.management.ManagementFactory;
import java.util.concurrent.TimeUnit;

import org.openjdk.jmh.annotations.AuxCounters;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OperationsPerInvocation;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

import com.sun.management.ThreadMXBean;

/**
 * A pair of free and allocate in one thread; the same in C: benchmarks/src/main/c/allocator_peer.c. The memory is not touched: that would
 * cost every subject the same cache misses.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class RandomReplacement {
    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    /** Whose turn it is. */
    @Param
    public Subject subject;

    private final Workload workload = Workload.randomReplacement();
    private Slots slots;

    /** What JMH reports of an iteration. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Heap {
        /** Bytes of Java heap that the pairs allocated; JMH's own objects, which its profiler counts too, are none of these. */
        public long byteSize;
        /** How many pairs. */
        public long pairCount;
    }

    /** All slots are full. */
    @Setup
    public void open() {
        slots = subject.open(workload, workload.slotCount());
        workload.fill(slots);
    }

    /** All calls of the workload. */
    @Benchmark
    @OperationsPerInvocation(Workload.REPLACEMENTS)
    public void pairs(Heap heap) {
        long atFirst = THREADS.getCurrentThreadAllocatedBytes();
        long atStart = THREADS.getCurrentThreadAllocatedBytes();
        int[] calls = workload.calls();
        for (int call = 0; call < calls.length; call++) {
            slots.free(calls[call]);
            slots.allocate(calls[call], call);
        }
        long byReading = atStart - atFirst;
        heap.byteSize += THREADS.getCurrentThreadAllocatedBytes() - atStart - byReading;
        heap.pairCount += calls.length;
    }

    /** Gives everything back. */
    @TearDown
    public void close() {
        workload.empty(slots);
        slots.close();
    }
}
