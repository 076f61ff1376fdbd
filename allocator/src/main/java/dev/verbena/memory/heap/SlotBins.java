package dev.verbena.memory.heap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

/**
 * The runs of a heap that have a free slot, by size class, the one that got it last in front; and how many blocks of each class it
 * allocated and freed. Who looks through a bin a few runs at a time, for idle ones, puts the others aside, so that he comes round to all; they
 * are in front again when no others are left.
 *
 * <pre>
 *   head of a bin    0  next               the first run, linked by the same field of the {@link RunRecord}; 0 behind the last one
 *                    8  aside              the same of those put aside
 *                   16  allocatedCount
 *                   24  freedCount
 *                   32
 * </pre>
 *
 * <p>Invariants: a run of the heap is linked here, once, exactly when it is not full; the two counts differ by the sum of live blocks over
 * all its runs.
 *
 * <p><b>Owner:</b> {@link SlotHeap}. <b>Threading:</b> guarded by the lock of its owner; others may read the counts, which are then of
 * any recent moment.
 */
final class SlotBins {
    private static final int HEAD_BYTE_SIZE_SHIFT = 5;

    private static final long ASIDE = Long.BYTES;
    private static final long ALLOCATED_COUNT = ASIDE + Long.BYTES;
    private static final long FREED_COUNT = ALLOCATED_COUNT + Long.BYTES;

    /** Kept, for the memory is there as long as this is reachable: a thread may still look here when the arena is closed. */
    private final MemorySegment memory = Arena.ofAuto().allocate((long) SizeClasses.COUNT << HEAD_BYTE_SIZE_SHIFT,
            LinePadding.BYTE_SIZE);
    private final long heads = memory.address();

    /** The head of the bin of that class. */
    long of(int sizeClass) {
        return of(heads, sizeClass);
    }

    /** Likewise, of the bins whose first head that is. */
    static long of(long heads, int sizeClass) {
        return RawMemory.known(heads + ((long) sizeClass << HEAD_BYTE_SIZE_SHIFT));
    }

    // ---- runs ----

    /** A run with a free slot; 0 if there is none but those put aside: then {@link #turn}. */
    static long first(long bin) {
        return RunRecord.next(bin);
    }

    /** Those put aside, as a bin of their own. */
    static long aside(long bin) {
        return bin + ASIDE;
    }

    /** If there is no other run, those put aside are in front. @return the first */
    static long turn(long bin) {
        long first = first(bin);
        if (first == 0) {
            first = first(aside(bin));
            RunRecord.next(bin, first);
            RunRecord.next(aside(bin), 0);
        }
        return first;
    }

    /** Takes out the first run. */
    static void pop(long bin, long first) {
        RunRecord.next(bin, RunRecord.next(first));
    }

    /** Of a run that is in no bin. */
    static void putAside(long bin, long run) {
        RunRecord.next(run, first(aside(bin)));
        RunRecord.next(aside(bin), run);
    }

    static void push(long bin, long run) {
        pushIf(-1, bin, run);
    }

    /** With a mask of -1 as {@link #push}, with 0 nothing. */
    static void pushIf(long mask, long bin, long run) {
        // Not by first() and next(): see RawMemory.
        long first = RawMemory.getLong(bin);
        RawMemory.putLong(run, Bits.choose(mask, first, RawMemory.getLong(run)));
        RawMemory.putLong(bin, Bits.choose(mask, run, first));
    }

    /** With a mask of -1 takes out the first run, with 0 nothing. */
    static void popIf(long mask, long bin, long first) {
        RawMemory.putLong(bin, Bits.choose(mask, RawMemory.getLong(first), first));
    }

    // ---- counts ----

    static void countAllocated(long bin) {
        RawMemory.putLong(bin + ALLOCATED_COUNT, RawMemory.getLong(bin + ALLOCATED_COUNT) + 1);
    }

    /** Blocks that go to another heap with their run are as good as freed here, and the other way round there. */
    static void countFreed(long bin, int count) {
        RawMemory.putLong(bin + FREED_COUNT, RawMemory.getLong(bin + FREED_COUNT) + count);
    }

    /** By any thread. */
    long allocatedCount(int sizeClass) {
        return RawMemory.getLongOpaque(of(sizeClass) + ALLOCATED_COUNT);
    }

    /** By any thread. */
    long liveCount(int sizeClass) {
        // Read before what grows before it.
        long freed = RawMemory.getLongAcquire(of(sizeClass) + FREED_COUNT);
        return allocatedCount(sizeClass) - freed;
    }

    /** How many runs of that class are linked; -1 if one is that should not be. For checks. */
    int checkedCount(int heap, int sizeClass) {
        long bin = of(sizeClass);
        int inFront = checkedCount(first(bin), heap, sizeClass);
        int aside = checkedCount(first(aside(bin)), heap, sizeClass);
        return inFront < 0 || aside < 0 ? -1 : inFront + aside;
    }

    private static int checkedCount(long first, int heap, int sizeClass) {
        int count = 0;
        for (long run = first; run != 0; run = RunRecord.next(run)) {
            if (!RunRecord.isSlots(run) || RunRecord.owner(run) != RunRecord.ownerOf(heap, sizeClass)
                    || SlotRun.isFull(run)) {
                return -1;
            }
            count++;
        }
        return count;
    }
}
