package dev.verbena.memory.slab;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.VarHandle;
import java.util.List;
import java.util.concurrent.CancellationException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PrefaultListener;
import dev.verbena.memory.SlabOptions;

/**
 * One commit of the pages of a region, before they are used.
 *
 * <pre>
 *   | done | thread 2 | done | thread 0 | thread 1 | nobody's yet ...      pieces, taken in turn
 * </pre>
 *
 * <p>A piece is populated by the kernel ({@code MADV_POPULATE_WRITE}, since Linux 5.14), or, where that is not possible, touched page
 * by page.
 *
 * <p><b>Owner:</b> one call of {@link #commit}. <b>Threading:</b> thread-safe: its threads share it.
 */
public final class PageCommit {
    /** Some milliseconds of work with pages of 4 KiB; a multiple of the size of huge pages. */
    static final long PIECE_BYTE_SIZE = 16L << 20;
    private static final VarHandle INT = ValueLayout.JAVA_INT.varHandle();

    private final MemorySegment memory;
    private final PrefaultListener listener;
    private final AtomicLong next = new AtomicLong();
    private final AtomicReference<Throwable> failure = new AtomicReference<>();
    /** Guarded by this. */
    private long doneByteSize;

    private PageCommit(MemorySegment memory, PrefaultListener listener) {
        this.memory = memory;
        this.listener = listener;
    }

    /** As {@code Prefault} says; so below. */
    public static void commit(MemorySegment memory, int threads, PrefaultListener listener)
            throws InterruptedException {
        if (!memory.isNative() || memory.isReadOnly() || (memory.address() | memory.byteSize()) % Integer.BYTES != 0) {
            throw new IllegalArgumentException(
                    "pre-faulting needs native, writable memory of whole ints, not " + memory);
        }
        if (threads < 1 || threads > SlabOptions.PREFAULT_THREADS_MAX) {
            throw new IllegalArgumentException("threads=" + threads + " for pre-faulting; give 1 to "
                    + SlabOptions.PREFAULT_THREADS_MAX);
        }
        new PageCommit(memory, listener).run(threads);
    }

    public static void commit(MemorySegment memory, SlabOptions options) {
        try {
            commit(memory, Math.max(1, options.prefaultThreads()), options.prefaultListener());
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (CancellationException) new CancellationException(e.getMessage() + "; the slab is given back")
                    .initCause(e);
        }
    }

    public static boolean isDoneByKernel() {
        return SystemMemory.canPopulate();
    }

    private void run(int threads) throws InterruptedException {
        long pieces = Math.ceilDiv(memory.byteSize(), PIECE_BYTE_SIZE);
        List<Thread> helpers = IntStream.range(1, (int) Math.min(threads, pieces))
                .mapToObj(i -> Thread.ofPlatform().daemon().name("verbena-prefault-" + i).unstarted(this::work))
                .toList();
        try {
            helpers.forEach(Thread::start);
        } catch (OutOfMemoryError e) {
            // The system has no more threads; those that run must end before anybody hears of it.
            failure.compareAndSet(null, e);
        }
        work();
        helpers.forEach(this::join);
        rethrow(failure.get());
    }

    private void work() {
        try {
            long offset;
            while (failure.get() == null && (offset = next.getAndAdd(PIECE_BYTE_SIZE)) < memory.byteSize()) {
                MemorySegment piece = memory.asSlice(offset, Math.min(PIECE_BYTE_SIZE, memory.byteSize() - offset));
                commit(piece);
                report(piece.byteSize());
                // Only the caller ever is.
                if (Thread.interrupted()) {
                    throw interrupted();
                }
            }
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
        }
    }

    private static void commit(MemorySegment piece) {
        int errno = SystemMemory.populate(piece);
        if (errno == SystemMemory.EINVAL) {
            touch(piece);
        } else if (errno != 0) {
            throw new OutOfArenaMemoryException("the system refused memory: madvise MADV_POPULATE_WRITE address="
                    + piece.address() + " byteSize=" + piece.byteSize() + " errno=" + errno
                    + "; ask for less, or see /proc/meminfo and the limits of the control group");
        }
    }

    /** Where the kernel has no populating, or not for this memory: adds 0 to the first int of each page, atomically. */
    private static void touch(MemorySegment piece) {
        long begin = piece.address();
        long address = begin;
        while (address < begin + piece.byteSize()) {
            int unused = (int) INT.getAndAdd(piece, address - begin, 0);
            address = (address & -SlabMemory.PAGE_BYTE_SIZE) + SlabMemory.PAGE_BYTE_SIZE;
        }
    }

    private synchronized void report(long byteSize) {
        doneByteSize += byteSize;
        if (failure.get() == null) {
            listener.onCommitted(doneByteSize, memory.byteSize());
        }
    }

    /** Waits to the end even when interrupted: the caller may give the memory back as soon as we are done. */
    private void join(Thread helper) {
        for (;;) {
            try {
                helper.join();
                return;
            } catch (InterruptedException e) {
                failure.compareAndSet(null, interrupted());
            }
        }
    }

    private InterruptedException interrupted() {
        return new InterruptedException("interrupted while pre-faulting byteSize=" + memory.byteSize());
    }

    private static void rethrow(Throwable failure) throws InterruptedException {
        switch (failure) {
            case null -> {
            }
            case InterruptedException e -> throw e;
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            default -> throw new IllegalStateException(failure);
        }
    }
}
