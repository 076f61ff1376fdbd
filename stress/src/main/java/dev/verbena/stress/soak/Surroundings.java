package dev.verbena.stress.soak;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.atomic.LongAdder;
import java.util.concurrent.locks.ReentrantReadWriteLock;

import dev.verbena.memory.SlabSource;

/** What all threads of a soak share. */
final class Surroundings {
    private static final long MIB = 1024 * 1024;
    private static final long TIGHT_BYTE_SIZE = 4 * MIB;
    /** Less than what the threads would like to have: there is no memory every now and then. */
    private static final long TIGHT_BYTE_SIZE_PER_THREAD_MAX = 12 * MIB;
    private static final long ROOMY_BYTE_SIZE_MAX = 1024 * 1024 * MIB;

    final SlabSource source;
    /** Whose budget is short. */
    final TestedArena tight;
    /** Whose budget is never reached. */
    final TestedArena roomy;
    final Shelf shelf = new Shelf();
    /** Arenas whose makers are done with them. */
    final Queue<TestedArena> retired = new ConcurrentLinkedQueue<>();
    /** Read by who works, a few steps at a time; written by who wants quiet. */
    final ReentrantReadWriteLock gate = new ReentrantReadWriteLock();
    /** Each block's mark is another one. */
    final AtomicLong marks = new AtomicLong();

    final LongAdder steps = new LongAdder();
    final LongAdder allocations = new LongAdder();
    final LongAdder refusals = new LongAdder();
    final LongAdder lives = new LongAdder();
    final LongAdder closedArenas = new LongAdder();

    private final int threads;
    private final AtomicReference<SoakFailure> failure = new AtomicReference<>();
    private volatile boolean isStopping;

    Surroundings(SlabSource source, int threads) {
        this.threads = threads;
        this.source = new TouchedSlabs(source);
        tight = new TestedArena("tight", this.source, TIGHT_BYTE_SIZE, threads * TIGHT_BYTE_SIZE_PER_THREAD_MAX);
        roomy = new TestedArena("roomy", this.source, 0, ROOMY_BYTE_SIZE_MAX);
    }

    List<TestedArena> arenas() {
        return List.of(tight, roomy);
    }

    /** What the threads have in their hands and on the shelf, at most, and all arenas of their own. */
    long liveByteSizeMax() {
        return threads * (Life.BYTE_SIZE_MAX + OwnArena.BYTE_SIZE_MAX) + OwnArena.RETIRED_MAX * OwnArena.BYTE_SIZE_MAX
                + Shelf.BYTE_SIZE_MAX;
    }

    /** Only the first is kept: the others may be its consequences. */
    void fail(SoakFailure what) {
        failure.compareAndSet(null, what);
        stop();
    }

    /** Null if all is well. */
    SoakFailure failure() {
        return failure.get();
    }

    void stop() {
        isStopping = true;
    }

    boolean isStopping() {
        return isStopping;
    }
}
