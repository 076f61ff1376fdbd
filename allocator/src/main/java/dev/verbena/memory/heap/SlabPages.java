package dev.verbena.memory.heap;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import dev.verbena.memory.RunMap;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.slab.SystemMemory;

/**
 * A slab as the arena sees it: whole pages, tiled by runs. Nothing is ever written into the slab by the arena; what it knows of it lies
 * in memory of its own, which the system commits as it is touched:
 *
 * <pre>
 *   records      a {@link RunRecord} per page, and one more that is END
 *   page map     a byte per page: 0 if no block may begin there, else 1 + the pages back to the run that it begins in
 * </pre>
 *
 * <p>Invariant: the page map leads from every page of a run of slots, and from the first of a large one, to the run, and from no other
 * page anywhere.
 *
 * <p>The pages from {@code zeroBegin} to {@code zeroEnd} came zeroed and were never given back, by a block or with a room, so that who gets some of
 * them is the first. Where one from the middle comes back, the longer part stays.
 *
 * <p><b>Owner:</b> {@link CentralHeap}. <b>Threading:</b> the fields are immutable, but {@code obstacles}, and the two above; these and the runs are guarded by the lock of the owner, the page
 * map is read by whoever frees a block, whose bytes don't change meanwhile.
 */
final class SlabPages {
    /** Of one slab: 8 TiB, what counts of 32 bits can tell. */
    static final long PAGE_COUNT_MAX = Integer.MAX_VALUE;
    static final int NUMBER_MAX = Short.MAX_VALUE;

    final Slab slab;
    /** Place among the slabs of the arena. */
    final int number;
    final long pageCount;
    /** Of its first byte. */
    final long address;
    /** The run at page 0. */
    final long first;
    private final long byteSize;
    private final Arena lifetime = Arena.ofShared();
    final long pageMap;
    private long zeroBegin;
    private long zeroEnd;
    private volatile ObstacleRow obstacles = ObstacleRow.NONE;

    /** @param isZero whether all its bytes are 0 */
    SlabPages(Slab slab, int number, long pageCount, boolean isZero) {
        this.slab = slab;
        this.number = number;
        this.pageCount = pageCount;
        address = slab.memory().address();
        byteSize = pageCount * SizeClasses.PAGE_BYTE_SIZE;
        zeroEnd = isZero ? pageCount : 0;
        long recordsByteSize = pageCount + 1 << RunRecord.BYTE_SIZE_SHIFT;
        MemorySegment memory;
        try {
            memory = SystemMemory.map(SizeClasses.ceilToPage(recordsByteSize + pageCount), lifetime);
        } catch (Throwable e) {
            lifetime.close();
            throw e;
        }
        first = memory.address();
        pageMap = first + recordsByteSize;
        RunRecord.place(first, number, address, RunRecord.NO_HEAP, pageCount, 0);
        long end = RunRecord.at(first, pageCount);
        RunRecord.place(end, number, address + byteSize, RunRecord.NO_HEAP, 0, pageCount);
        RunRecord.become(end, RunRecord.END);
    }

    /** The records are no more; no thread is within the arena. */
    void forget() {
        lifetime.close();
    }

    /** Nothing is used of it. */
    boolean isIdle() {
        return RunRecord.isFree(first) && RunRecord.pageCount(first) == pageCount;
    }

    /** The run with a block that may begin so many bytes behind the start of a slab; 0 if there is none. */
    static long runAt(long first, long pageMap, long offset) {
        long page = offset >>> SizeClasses.PAGE_SHIFT;
        int back = RawMemory.getByte(RawMemory.known(pageMap + page));
        return back == 0 ? 0 : RunRecord.at(first, page + 1 - back);
    }

    /** The run that the address within the slab is in; no thread is within the arena. */
    long runOver(long block) {
        long run = first;
        while (block - RunRecord.address(run) >= RunRecord.byteSize(run)) {
            run = RunRecord.after(run);
        }
        return run;
    }

    boolean contains(long block) {
        return Long.compareUnsigned(block - address, byteSize) < 0;
    }

    long byteSize() {
        return byteSize;
    }

    long startPage(long run) {
        return run - first >>> RunRecord.BYTE_SIZE_SHIFT;
    }

    /** With the lock of {@link CentralHeap}: blocks begin in the run from now on. */
    void enter(long run) {
        long start = startPage(run);
        for (int i = 0; i < enteredPages(run); i++) {
            RawMemory.putByte(pageMap + start + i, (byte) (1 + i));
        }
    }

    /** Likewise: no more. */
    void erase(long run) {
        long start = startPage(run);
        for (int i = 0; i < enteredPages(run); i++) {
            RawMemory.putByte(pageMap + start + i, (byte) 0);
        }
    }

    /** Likewise, as the next: the run may have been written to. */
    void soil(long run) {
        long start = startPage(run);
        long end = start + RunRecord.pageCount(run);
        if (start - zeroBegin > zeroEnd - end) {
            zeroEnd = Math.min(zeroEnd, start);
        } else {
            zeroBegin = Math.max(zeroBegin, end);
        }
    }

    /** Whether a large block begins at the address whose pages were never given back. */
    boolean isZero(long block) {
        long run = runAt(first, pageMap, block - address);
        return run != 0 && RunRecord.kind(run) == RunRecord.LARGE && startPage(run) >= zeroBegin
                && startPage(run) + RunRecord.pageCount(run) <= zeroEnd;
    }

    private static long enteredPages(long run) {
        return RunRecord.isSlots(run) ? RunRecord.pageCount(run) : 1;
    }

    /** Where a live block begins, of all that are; no thread is within the arena, and what was returned is taken back. */
    LongStream liveBlocks() {
        LongStream.Builder blocks = LongStream.builder();
        for (long run = first; RunRecord.kind(run) != RunRecord.END; run = RunRecord.after(run)) {
            if (RunRecord.kind(run) == RunRecord.LARGE) {
                blocks.add(RunRecord.address(run));
            } else if (RunRecord.isSlots(run)) {
                long live = SlotRun.allSlots(run) & ~RunRecord.freeSlots(run);
                for (long left = live; left != 0; left &= left - 1) {
                    blocks.add(SlotRun.addressOf(run, left));
                }
            }
        }
        return blocks.build();
    }

    /** What its runs are used for. */
    SlabMap map() {
        List<RunMap> runs = new ArrayList<>();
        for (long run = first; RunRecord.kind(run) != RunRecord.END; run = RunRecord.after(run)) {
            runs.add(map(run));
        }
        return new SlabMap(address, runs);
    }

    private RunMap map(long run) {
        long start = startPage(run);
        long pages = RunRecord.pageCount(run);
        return switch (RunRecord.kind(run)) {
            case RunRecord.FREE -> RunMap.free(start, pages);
            case RunRecord.LARGE -> RunMap.large(start, pages);
            default -> RunMap.slots(start, pages, SizeClasses.slotByteSize(RunRecord.sizeClass(run)),
                    RunRecord.slotCount(run), SlotRun.liveCount(run));
        };
    }

    // ---- for who looks while others go on ----

    ObstacleRow obstacles() {
        return obstacles;
    }

    void obstacles(ObstacleRow found) {
        obstacles = found;
    }

    /** The last page from the first one on and before the other that a block may begin in; the one before the first if there is none. */
    long lastEntered(long from, long before) {
        long page = before;
        while (page - from >= Long.BYTES && RawMemory.getLong(pageMap + page - Long.BYTES) == 0) {
            page -= Long.BYTES;
        }
        while (page > from && RawMemory.getByte(pageMap + page - 1) == 0) {
            page--;
        }
        return page - 1;
    }

    // ---- checks ----

    /** Whether the runs tile the slab, no two free ones are neighbours but across a border, and blocks begin exactly where the runs say. */
    boolean isTiled() {
        long page = 0;
        long previous = 0;
        for (long run = first; page < pageCount; run = RunRecord.after(run)) {
            int kind = RunRecord.kind(run);
            boolean fits = RunRecord.slab(run) == number
                    && RunRecord.address(run) == address + page * SizeClasses.PAGE_BYTE_SIZE
                    && RunRecord.pageCount(run) > 0 && kind != RunRecord.SPARE && kind != RunRecord.END
                    && RunRecord.pageCount(run) <= pageCount - page
                    && (!RunRecord.isMarked(run)
                            || kind == RunRecord.LARGE && RunRecord.room(run) == RunRecord.NO_HEAP);
            if (!fits || !follows(run, previous) || !isEntered(run, page)) {
                return false;
            }
            previous = run;
            page += RunRecord.pageCount(run);
        }
        long end = RunRecord.at(first, pageCount);
        return page == pageCount && RunRecord.kind(end) == RunRecord.END && follows(end, previous);
    }

    /** Whether the two are neighbours as they should be; 0 is before the first. */
    private static boolean follows(long run, long previous) {
        if (previous == 0) {
            return RunRecord.previousPageCount(run) == 0;
        }
        boolean isBorder = RunRecord.hasBorder(run, RunRecord.BORDER_BEFORE);
        boolean isWithin = RunRecord.room(run) == RunRecord.room(previous)
                && RunRecord.previousPageCount(run) == RunRecord.pageCount(previous)
                && !(RunRecord.isFree(run) && RunRecord.isFree(previous));
        return RunRecord.hasBorder(previous, RunRecord.BORDER_BEHIND) == isBorder && (isBorder || isWithin);
    }

    private boolean isEntered(long run, long start) {
        long entered = RunRecord.isFree(run) ? 0 : enteredPages(run);
        for (long i = 0; i < RunRecord.pageCount(run); i++) {
            if (RawMemory.getByte(pageMap + start + i) != (i < entered ? 1 + i : 0)) {
                return false;
            }
        }
        return true;
    }
}
