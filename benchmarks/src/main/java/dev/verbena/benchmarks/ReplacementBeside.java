package dev.verbena.benchmarks;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import org.HdrHistogram.Recorder;
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
 * {@link SharedReplacement} beside one more thread, the {@link Companion}, and how long that one's requests take: half of them no longer.
 * So what it waits for a processor is not in it, nor what it costs to be interrupted.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> as many threads as JMH is told, and one.
 */
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ReplacementBeside {
    private static final int BURST = 1024;

    /** The one thread more. */
    @State(Scope.Benchmark)
    public static class Beside {
        /** Timed together, so that reading the clock counts little. */
        private static final int REQUESTS = 16;
        private static final int DIGITS = 3;

        /** What it does. */
        @Param
        public Companion companion;

        private final Recorder times = new Recorder(DIGITS);
        private volatile boolean isOver;
        private volatile boolean isRead;
        private Thread thread;

        /** It runs. */
        @Setup
        public void start(SharedSlots shared) throws InterruptedException {
            shared.join();
            VerbenaAddressSlots ofAll = (VerbenaAddressSlots) shared.slots();
            VerbenaAddressSlots slots = companion.isElsewhere() ? (VerbenaAddressSlots) shared.openAnother() : ofAll;
            CountDownLatch known = new CountDownLatch(1);
            thread = new Thread(() -> {
                try {
                    companion.act(ofAll);
                } finally {
                    known.countDown();
                }
                act(slots);
            }, "companion");
            thread.setDaemon(true);
            thread.start();
            // Whomever it asks later: an arena finds the heap of a thread that it knows alone, or that came last, more quickly.
            known.await();
        }

        private void act(VerbenaAddressSlots slots) {
            while (!isOver) {
                long startNs = System.nanoTime();
                for (int i = 0; i < REQUESTS; i++) {
                    companion.act(slots);
                }
                times.recordValue(System.nanoTime() - startNs);
            }
            if (companion.isElsewhere()) {
                slots.close();
            }
        }

        /** The warm-up does not count. */
        @Setup(Level.Iteration)
        public void reset() {
            times.reset();
            isRead = false;
        }

        /** Of one request; 0 but for the first who asks. */
        private synchronized double medianNs() {
            if (isRead) {
                return 0;
            }
            isRead = true;
            return times.getIntervalHistogram().getValueAtPercentile(50) / (double) REQUESTS;
        }

        /** It is no more. */
        @TearDown
        public void end(SharedSlots shared) throws InterruptedException {
            isOver = true;
            thread.join();
            shared.leave();
        }
    }

    /** What JMH reports of an iteration, as a sum over the threads: one of them has it all, the others nothing. */
    @State(Scope.Thread)
    @AuxCounters(AuxCounters.Type.EVENTS)
    public static class Median {
        /** Nanoseconds that half of the companion's requests do not exceed. */
        public double p50;

        /** A thread that comes later finds that it was read. */
        @TearDown(Level.Iteration)
        public void read(Beside beside) {
            p50 = beside.medianNs();
        }
    }

    /** Some calls of the workload. */
    @Benchmark
    @OperationsPerInvocation(BURST)
    public void pairs(Beside beside, ReplacingThread thread, Median median) {
        for (int i = 0; i < BURST; i++) {
            thread.replaceNext();
        }
    }
}
