package dev.verbena.benchmarks;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.jctools.queues.SpscArrayQueue;
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
 * JMH's thread allocates, another one frees; what is handed over is the number of a slot, so that the queue costs every subject the same.
 * The time is that of the slower thread.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> two threads: allocate, free.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
public class HandOver {
    /** At most so many are on their way, and live, at once. */
    private static final int WAITING_MAX = 1024;
    /** A slot is used again only when the queue has turned over since: whoever freed it is done. */
    private static final int SLOT_COUNT = 2 * WAITING_MAX;
    private static final int SPINS_MAX = 10_000;

    /** Whose turn it is. */
    @Param
    public Subject subject;

    private final Workload workload = Workload.randomReplacement();
    private final SpscArrayQueue<Integer> queue = new SpscArrayQueue<>(WAITING_MAX);
    private final Integer[] numbers = new Integer[SLOT_COUNT];
    private final AtomicLong freedCount = new AtomicLong();
    private Slots slots;
    private Thread consumer;
    private volatile boolean isOver;
    private long handedCount;

    /** The other thread runs. */
    @Setup
    public void open() {
        slots = subject.open(workload, SLOT_COUNT);
        for (int slot = 0; slot < SLOT_COUNT; slot++) {
            numbers[slot] = slot;
        }
        consumer = new Thread(this::freeWhatComes, "consumer");
        consumer.setDaemon(true);
        consumer.start();
    }

    /** Allocates all requests of the workload and waits until all are free. */
    @Benchmark
    @OperationsPerInvocation(Workload.REPLACEMENTS)
    public void pairs() {
        for (int request = 0; request < Workload.REPLACEMENTS; request++) {
            int slot = request & SLOT_COUNT - 1;
            slots.allocate(slot, request);
            for (int spins = 0; !queue.offer(numbers[slot]); spins++) {
                pause(spins);
            }
        }
        handedCount += Workload.REPLACEMENTS;
        for (int spins = 0; freedCount.getAcquire() != handedCount; spins++) {
            pause(spins);
        }
    }

    /** Everything is free by now. */
    @TearDown
    public void close() throws InterruptedException {
        isOver = true;
        consumer.join();
        slots.close();
    }

    private void freeWhatComes() {
        long freed = 0;
        int spins = 0;
        while (!isOver) {
            Integer slot = queue.relaxedPoll();
            if (slot == null) {
                Thread.onSpinWait();
                if (++spins > SPINS_MAX) {
                    Thread.yield();
                }
            } else {
                spins = 0;
                slots.free(slot);
                freedCount.setRelease(++freed);
            }
        }
    }

    /** On a machine with a processor for each thread nobody ever yields. */
    private void pause(int spins) {
        if (spins < SPINS_MAX) {
            Thread.onSpinWait();
        } else if (consumer.isAlive()) {
            Thread.yield();
        } else {
            throw new IllegalStateException("the thread that frees has died");
        }
    }
}
