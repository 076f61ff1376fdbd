package dev.verbena.benchmarks;

import java.util.concurrent.atomic.AtomicInteger;

import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.infra.BenchmarkParams;

/**
 * One allocator for all threads of a benchmark, and the slots of each.
 *
 * <p><b>Owner:</b> JMH, whose threads close it. <b>Threading:</b> thread-safe; a slot is of one thread.
 */
@State(Scope.Benchmark)
public class SharedSlots {
    /** So far apart, slots of two threads share no line, nor do the cards that the collector has of references in them, a byte for 512 bytes. */
    static final int STRIDE = 1 << 14;

    /** Whose turn it is. */
    @Param
    public Subject subject;

    /** What is replaced. */
    @Param
    public Replacement replacement;

    private Workload workload;
    private int threads;
    private Slots slots;
    private final AtomicInteger users = new AtomicInteger();

    /** Nothing is live. */
    @Setup
    public void open(BenchmarkParams parameters) {
        threads = parameters.getThreads();
        users.set(threads);
        workload = replacement.workload().by(threads);
        slots = subject.open(workload, threads * STRIDE);
    }

    /** Of another allocator of the same kind and size, for who closes it. */
    Slots openAnother() {
        return subject.open(workload, threads * STRIDE);
    }

    /** To be called by who uses the allocator and is no thread of JMH's; then it leaves, too. */
    void join() {
        users.incrementAndGet();
    }

    /** To be called by each thread, when nothing of it is live any more: the last one closes the allocator. */
    void leave() {
        if (users.decrementAndGet() == 0) {
            slots.close();
        }
    }

    Workload workload() {
        return workload;
    }

    int threads() {
        return threads;
    }

    Slots slots() {
        return slots;
    }
}
