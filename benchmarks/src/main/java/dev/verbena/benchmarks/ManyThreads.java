package dev.verbena.benchmarks;

import java.util.Locale;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

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

/**
 * Pairs of free and allocate by ten thousand virtual threads that take turns, and the same pairs by as many platform threads as the
 * others have carriers. The memory is not touched.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> one thread, JMH's, which starts the others and waits for them.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.Throughput)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
public class ManyThreads {
    private static final int VIRTUAL_COUNT = 10_000;
    /** Live blocks of a virtual thread. */
    private static final int SLOTS = 4;
    private static final int PAIRS = 512;
    /** Pairs between two turns. */
    private static final int TURN = 64;

    /** Which threads. */
    public enum Kind {
        /** Ten thousand. */
        VIRTUAL,
        /** As many as the others have carriers; each does in turn what many of the others do. */
        PLATFORM;

        String label() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** Whose turn it is. */
    @Param
    public Subject subject;

    /** Who replaces blocks. */
    @Param
    public Kind kind;

    /** That virtual threads run on. */
    @Param("1")
    public int carriers;

    private final Workload workload = Replacement.SMALL.workload();
    private Slots slots;

    /** Nothing is live. */
    @Setup
    public void open() {
        slots = subject.open(workload.by(VIRTUAL_COUNT * SLOTS / workload.slotCount()), VIRTUAL_COUNT * SLOTS);
        for (int slot = 0; slot < VIRTUAL_COUNT * SLOTS; slot++) {
            slots.allocate(slot, slot);
        }
    }

    /** All threads from their start to their end. */
    @Benchmark
    @OperationsPerInvocation(VIRTUAL_COUNT * PAIRS)
    public void pairs() throws InterruptedException {
        int threads = kind == Kind.VIRTUAL ? VIRTUAL_COUNT : carriers;
        CountDownLatch done = new CountDownLatch(threads);
        Thread.Builder builder = kind == Kind.VIRTUAL ? Thread.ofVirtual() : Thread.ofPlatform();
        for (int thread = 0; thread < threads; thread++) {
            int first = thread;
            builder.start(() -> {
                for (int number = first; number < VIRTUAL_COUNT; number += threads) {
                    replace(number);
                }
                done.countDown();
            });
        }
        done.await();
    }

    private void replace(int number) {
        int[] calls = workload.calls();
        for (int pair = 0; pair < PAIRS; pair++) {
            int call = number * PAIRS + pair & calls.length - 1;
            int slot = number * SLOTS + (calls[call] & SLOTS - 1);
            slots.free(slot);
            slots.allocate(slot, call);
            if (pair % TURN == TURN - 1 && kind == Kind.VIRTUAL) {
                Thread.yield();
            }
        }
    }

    /** Gives everything back. */
    @TearDown
    public void close() {
        for (int slot = 0; slot < VIRTUAL_COUNT * SLOTS; slot++) {
            slots.free(slot);
        }
        slots.close();
    }
}
