package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The runs of a heap that have a free slot, by size class, the one that got it last in front; and how many blocks
 * of each class it allocated and freed. A bin
 * is a ring with its head, which has the first two fields of a {@link RunRecord}, so that a run leaves it without a question asked.
 *
 * <p>Invariants: a run of the heap is linked here exactly when it is not full; the two counts differ by the sum of live blocks over all
 * its runs.
 *
 * <p><b>Owner:</b> {@link ThreadHeap}. <b>Threading:</b> guarded by the lock of its owner; others may read the counts, which are then of
 * any recent moment.
 */
final class SlotBins {
    private static final int HEAD_BYTE_SIZE_SHIFT = 4;

    private static final VarHandle COUNT = MethodHandles.arrayElementVarHandle(long[].class);

    /** Kept, for the memory is there as long as this is reachable: a thread may still look here when the arena is closed. */
    private final MemorySegment memory = Arena.ofAuto().allocate((long) SizeClasses.COUNT << HEAD_BYTE_SIZE_SHIFT,
            RunRecord.BYTE_SIZE);
    private final long heads = memory.address();
    private final long[] allocatedCounts = new long[SizeClasses.COUNT];
    /** Blocks that went to another heap with their run are as good as freed here, and the other way round there. */
    private final long[] freedCounts = new long[SizeClasses.COUNT];

    SlotBins() {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            long bin = of(sizeClass);
            RunRecord.next(bin, bin);
            RunRecord.previous(bin, bin);
        }
    }

    /** The head of the bin of that class. */
    long of(int sizeClass) {
        return heads + ((long) sizeClass << HEAD_BYTE_SIZE_SHIFT);
    }

    // ---- runs ----

    /** A run with a free slot; the bin itself if there is none. */
    static long first(long bin) {
        return RunRecord.next(bin);
    }

    static void link(long bin, long run) {
        linkIf(-1, bin, run);
    }

    static void unlink(long run) {
        unlinkIf(-1, run);
    }

    /** With a mask of -1 as {@link #link}, with 0 nothing. */
    static void linkIf(long mask, long bin, long run) {
        long first = RunRecord.next(bin);
        RunRecord.next(run, Bits.choose(mask, first, RunRecord.next(run)));
        RunRecord.previous(run, Bits.choose(mask, bin, RunRecord.previous(run)));
        RunRecord.previous(first, Bits.choose(mask, run, bin));
        RunRecord.next(bin, Bits.choose(mask, run, first));
    }

    /** With a mask of -1 as {@link #unlink}, with 0 nothing; the run is linked. */
    static void unlinkIf(long mask, long run) {
        long next = RunRecord.next(run);
        long previous = RunRecord.previous(run);
        RunRecord.next(previous, Bits.choose(mask, next, run));
        RunRecord.previous(next, Bits.choose(mask, previous, run));
    }

    // ---- counts ----

    void allocated(int sizeClass) {
        allocatedCounts[sizeClass]++;
    }

    void freed(int sizeClass, int count) {
        freedCounts[sizeClass] += count;
    }

    /** Of each class, whoever asks. */
    long[] allocatedCounts() {
        long[] counts = new long[SizeClasses.COUNT];
        Arrays.setAll(counts, sizeClass -> (long) COUNT.getOpaque(allocatedCounts, sizeClass));
        return counts;
    }

    /** Whoever asks. */
    long liveCount(int sizeClass) {
        // Read before what grows before it.
        long freed = (long) COUNT.getAcquire(freedCounts, sizeClass);
        return (long) COUNT.getOpaque(allocatedCounts, sizeClass) - freed;
    }

    /** How many runs of that class are linked; -1 if one is that should not be. For checks. */
    int checkedCount(int heap, int sizeClass) {
        long bin = of(sizeClass);
        int count = 0;
        long previous = bin;
        for (long run = first(bin); run != bin; run = RunRecord.next(run)) {
            if (RunRecord.kind(run) != RunRecord.slotsOf(sizeClass) || RunRecord.heap(run) != heap
                    || SlotRun.isFull(run) || RunRecord.previous(run) != previous) {
                return -1;
            }
            previous = run;
            count++;
        }
        return RunRecord.previous(bin) == previous ? count : -1;
    }
}
