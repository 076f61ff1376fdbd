package dev.verbena.memory.heap;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The rooms of a {@link SlotHeap}: stretches of slabs, lent by the {@link CentralHeap}, from which it takes runs of pages and gives them
 * back without meeting anybody. A heap gets them once it has met others in the central heap often enough, and something was freed there:
 * a thread that is alone has none, and what was planned ({@link RegionPlan}) is laid out as if there were none.
 *
 * <p>A room whose pages are all free goes back if what is left is more than the heap used lately. All rooms end where memory is short: what
 * is free in them, and what is live, is the central heap's again, where it grows together with what is beside it.
 *
 * <pre>
 *   slab    |  central  ║     room of heap 3            ║   room of heap 5       ║   central    |
 *   runs    |   free    ║ slots │ free │ large │  free  ║  large  │    free      ║ large │ free |      ║ border
 * </pre>
 *
 * <p>Invariants: a run of a room has the heap's number as {@link RunRecord#room}; {@code pages} has those that are free; the figures are
 * those of its large blocks, those included that wait to be taken back.
 *
 * <p><b>Owner:</b> {@link SlotHeap}. <b>Threading:</b> guarded by the lock of its owner, but for the figures, which everybody may read,
 * and {@code meetings}, which the lock of the central heap guards.
 */
final class Rooms extends LinePadding {
    /** Begins and ends at such a page, so that its entries in the page map have lines of their own. */
    static final long ALIGNMENT_PAGES = LinePadding.BYTE_SIZE;

    /** Others that came to the central heap between two visits of this one, after which it is to have rooms. */
    private static final int MEETINGS_MIN = 8;
    private static final long PAGES_MIN = 512;
    /** A room holds so many runs as long as the one that it is for. */
    private static final long RUNS_MIN = 8;
    /** A further room is at least that part of those that the heap has. */
    private static final long GROWTH_SHARE = 4;
    /** With each run that comes back, that part of what was used before is forgotten. */
    private static final long FORGETTING_SHARE = 1024;
    /**
     * A heap that has so much less live than it had publishes: so many bytes, or that part of what is live, if that is more. Some blocks: who
     * replaces one after the other would look at the lines of all heaps whenever one of his is small.
     */
    private static final long PEAK_DRIFT_MAX = 8 * 1024 * 1024;
    private static final long PEAK_DRIFT_SHARE = 16;

    private static final VarHandle LIVE = FieldHandle.of(MethodHandles.lookup(), "liveByteSize", long.class);
    private static final VarHandle LIVE_PEAK = FieldHandle.of(MethodHandles.lookup(), "livePeakByteSize", long.class);
    private static final VarHandle ALLOCATED = FieldHandle.of(MethodHandles.lookup(), "allocationCount", long.class);
    private static final VarHandle FREED = FieldHandle.of(MethodHandles.lookup(), "freeCount", long.class);
    private static final VarHandle FREED_BYTES = FieldHandle.of(MethodHandles.lookup(), "freedByteSize", long.class);

    final int heap;
    private final CentralHeap central;
    private final PageRuns pages = new PageRuns();
    /** The first run of each room; so many. */
    private long[] firsts = new long[8];
    private int roomCount;
    private long pageCount;
    /** Of rooms, at most, lately. */
    private long usedPageCount;
    /** See {@link #MEETINGS_MIN}. */
    private int meetings;

    private long liveByteSize;
    private long livePeakByteSize;
    private long allocationCount;
    private long freeCount;
    /** Of all that was live and is not; written behind {@code liveByteSize}. */
    private long freedByteSize;
    private long publishCount;

    Rooms(CentralHeap central, int heap) {
        this.central = central;
        this.heap = heap;
    }

    // ---- runs ----

    /** A run of exactly so many pages, now of that kind; 0 if no free run of the rooms is long enough. */
    long take(long pageCount, int kind) {
        return pages.free.runCount() == 0 ? 0 : pages.take(pageCount, kind);
    }

    /** As {@link #take}, with a further room if there is none; 0 if the heap is to have no more. */
    long takeOfMore(long runPages, int kind) {
        return meetings >= MEETINGS_MIN && lend(runPages) ? take(runPages, kind) : 0;
    }

    private boolean lend(long runPages) {
        long wanted = Math.max(PAGES_MIN, Math.max(RUNS_MIN * runPages, pageCount / GROWTH_SHARE));
        long first = central.lend(this, 2 * runPages, wanted);
        if (first == 0) {
            return false;
        }
        if (roomCount == firsts.length) {
            firsts = Arrays.copyOf(firsts, 2 * roomCount);
        }
        firsts[roomCount++] = first;
        pageCount += RunRecord.pageCount(first);
        pages.putBack(first);
        return true;
    }

    /** A run of a room that no block is in any more. */
    void give(long run) {
        usedPageCount -= usedPageCount / FORGETTING_SHARE;
        usedPageCount = Math.max(usedPageCount, pageCount - pages.free.pageCount());
        if (isWholeRoom(pages.give(run))) {
            giveBackSpare();
        }
    }

    private static boolean isWholeRoom(long run) {
        return RunRecord.isFree(run) && RunRecord.hasBorder(run, RunRecord.BORDER_BEFORE)
                && RunRecord.hasBorder(run, RunRecord.BORDER_BEHIND);
    }

    /** Rooms that are all free, without which the heap has enough. */
    private void giveBackSpare() {
        for (int i = roomCount - 1; i >= 0; i--) {
            long first = firsts[i];
            if (isWholeRoom(first) && hasEnoughWithout(RunRecord.pageCount(first))) {
                firsts[i] = firsts[--roomCount];
                pageCount -= RunRecord.pageCount(first);
                pages.free.remove(first);
                central.takeBack(this, first);
            }
        }
    }

    private boolean hasEnoughWithout(long roomPages) {
        return pageCount - roomPages >= usedPageCount + SlotHeap.CACHED_BYTE_SIZE / SizeClasses.PAGE_BYTE_SIZE;
    }

    // ---- large blocks ----

    /** The run is a block from now on. @return its address */
    long allocated(long run) {
        central.slabAt(RunRecord.address(run)).enter(run);
        RunRecord.returnedSlots(run, 0);
        allocationCount++;
        liveByteSize += RunRecord.byteSize(run);
        livePeakByteSize = Math.max(livePeakByteSize, liveByteSize);
        return RunRecord.address(run);
    }

    /**
     * By the heap.
     *
     * @throws IllegalArgumentException if no large block begins at the address, or no longer
     * @throws IllegalStateException if another thread has freed it
     */
    void free(long run, long address) {
        SlotRun.giveLarge(run, address);
        freed(run);
    }

    /** By the heap, or by another thread, which has told it. */
    void freed(long run) {
        freeCount++;
        liveByteSize -= RunRecord.byteSize(run);
        FREED_BYTES.setRelease(this, freedByteSize + RunRecord.byteSize(run));
        publishIfLess();
        central.slabAt(RunRecord.address(run)).erase(run);
        give(run);
    }

    /** Makes a block longer or shorter where it is; false if what is behind it is not free. */
    boolean resize(long run, long address, long runPages) {
        SlotRun.checkLarge(run, address);
        SlotRun.checkNotReturned(run, address);
        long before = RunRecord.pageCount(run);
        if (runPages < before) {
            pages.shrink(run, runPages);
        } else if (runPages > before && !pages.grow(run, runPages)) {
            return false;
        }
        liveByteSize += (runPages - before) * SizeClasses.PAGE_BYTE_SIZE;
        livePeakByteSize = Math.max(livePeakByteSize, liveByteSize);
        FREED_BYTES.setRelease(this, freedByteSize + Math.max(0, before - runPages) * SizeClasses.PAGE_BYTE_SIZE);
        publishIfLess();
        return true;
    }

    private void publishIfLess() {
        if (livePeakByteSize - liveByteSize > Math.max(PEAK_DRIFT_MAX, liveByteSize / PEAK_DRIFT_SHARE)) {
            publishCount++;
            central.peak.look();
            livePeakByteSize = liveByteSize;
        }
    }

    // ---- with the lock of the central heap ----

    /** Somebody else was there since this heap was. */
    void met() {
        meetings++;
    }

    /** With all locked, after what others have freed was taken back: what was in rooms is the central heap's. */
    void end() {
        central.peak.look();
        meetings = 0;
        long free = 0;
        for (int i = 0; i < roomCount; i++) {
            free = leave(firsts[i], free);
        }
        pages.free.clear();
        central.endLoan(pageCount);
        roomCount = 0;
        pageCount = 0;
        usedPageCount = 0;
        for (long run = free; run != 0;) {
            long next = RunRecord.left(run);
            central.pages.give(run);
            run = next;
        }
        long liveCount = allocationCount - freeCount;
        long byteSize = liveByteSize;
        freeCount = allocationCount;
        liveByteSize = 0;
        livePeakByteSize = 0;
        // Last, so that nobody who looks counts them twice.
        central.adoptLarge(liveCount, byteSize);
    }

    /** Of each run of the room. @return those that are free, as if they were blocks, before the ones that were already, linked by left */
    private long leave(long first, long before) {
        long free = before;
        long run = first;
        for (;;) {
            if (RunRecord.isFree(run)) {
                RunRecord.become(run, RunRecord.LARGE);
                RunRecord.left(run, free);
                free = run;
            }
            RunRecord.room(run, RunRecord.NO_HEAP);
            if (RunRecord.hasBorder(run, RunRecord.BORDER_BEHIND)) {
                CentralHeap.removeBorders(first, run);
                return free;
            }
            run = RunRecord.after(run);
        }
    }

    // ---- figures ----

    /** Of those of its rooms; by any thread, as all below. */
    long freeByteSizeOpaque() {
        return pages.free.pageCount() * SizeClasses.PAGE_BYTE_SIZE;
    }

    long livePeakByteSizeOpaque() {
        return (long) LIVE_PEAK.getOpaque(this);
    }

    long liveByteSizeOpaque() {
        return (long) LIVE.getOpaque(this);
    }

    /** See {@link SlotHeap#allocatedBound}. */
    long allocatedBound() {
        long freed = (long) FREED_BYTES.getAcquire(this);
        return freed + (long) LIVE.getAcquire(this);
    }

    /** See {@link SlotHeap#freedBound}. */
    long freedBound() {
        return (long) FREED_BYTES.getAcquire(this);
    }

    long allocationCountOpaque() {
        return (long) ALLOCATED.getOpaque(this);
    }

    long liveCountOpaque() {
        // Read before what grows before it.
        long freed = (long) FREED.getAcquire(this);
        return (long) ALLOCATED.getOpaque(this) - freed;
    }

    /** How often it looked at what all heaps have. For checks, as below. */
    long publishCount() {
        return publishCount;
    }

    /** How many rooms there are. */
    int count() {
        return roomCount;
    }

    FreeRuns freeRuns() {
        return pages.free;
    }
}
