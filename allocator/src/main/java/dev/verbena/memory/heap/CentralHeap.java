package dev.verbena.memory.heap;

import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Slab;

/**
 * What all threads of an arena share: its slabs and their runs, those that are free and those that are one large block each.
 *
 * <p>Invariants: those of {@link PageRuns}; {@code slabByteSize} is the sum over the slabs, {@code largeByteSize} that over the runs
 * in LARGE, of which there are {@code largeAllocationCount - largeFreeCount}.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> the fields are guarded by {@code lock}, which the methods that take and give
 * take; {@link #slabAt} and {@link #heap} are thread-safe.
 */
final class CentralHeap {
    /** A room has at most that part of what is free. */
    private static final long LENDING_SHARE = 16;
    /** Rooms are lent while no more than that is in use, rooms included, of what the slabs may have. */
    private static final long PLENTY_PERCENT = 40;
    /** Rooms end when more than that is. */
    private static final long SHORTAGE_PERCENT = 50;
    /** Then they come again when no more than that is. */
    private static final long RELIEF_PERCENT = 6;

    private static final int PADDING = LinePadding.BYTE_SIZE / Long.BYTES;

    private final ReentrantLock lock = new ReentrantLock();
    private final AtomicLong lockCount = new AtomicLong();
    /** In the middle of an array, so that nothing else is on its line: who is refused reads it. */
    private final AtomicLongArray freedObstacleCount = new AtomicLongArray(PADDING + 1 + PADDING);
    /** Who came last. */
    private Rooms lastUser;
    /** Whether a run ever was; until then what was planned fits, if nobody has rooms. */
    private boolean wasGivenBack;
    /** That all slabs may have. */
    private final long pageCountMax;
    /** Of rooms. */
    private long lentPageCount;
    /** Memory was short, so that all rooms ended. */
    private boolean wasShort;
    final LivePeak peak = new LivePeak(this);
    final PageRuns pages;
    /** By number; null where there is none any more. */
    private final List<SlabPages> slabs = new ArrayList<>();
    /** By address; copied on change. */
    private volatile SlabPages[] slabsByAddress = {};
    /** By their numbers; copied on change. */
    private volatile SlotHeap[] heaps = {};
    /** Of each heap, likewise: who frees another's block reads nothing of that one's heap. */
    private volatile ReturnedRuns[] returned = {};
    private final AtomicLong slabByteSize = new AtomicLong();
    private long slabPageCount;
    /** Without a fence: whoever looks before it is seen looks before it is so. */
    private final AtomicLong largeByteSize = new AtomicLong();
    private final AtomicLong largeAllocationCount = new AtomicLong();
    private final AtomicLong largeFreeCount = new AtomicLong();
    /** Of large blocks; written behind {@code largeByteSize}. And one for each slab that came, since there is more, too. */
    private final AtomicLong freedByteSize = new AtomicLong();

    CentralHeap(PageRuns pages, long pageCountMax) {
        this.pages = pages;
        this.pageCountMax = pageCountMax;
    }

    void lock() {
        lock.lock();
        add(lockCount, 1);
    }

    void unlock() {
        lock.unlock();
    }

    /** How often the lock was taken: what threads share, they wait for. Called while no other thread is within the arena. For checks. */
    long lockCount() {
        return lockCount.get();
    }

    // ---- heaps ----

    /** The number of the next heap. */
    int nextHeap() {
        return heaps.length;
    }

    /** Of the next number; one at a time. */
    void add(SlotHeap heap, ReturnedRuns returnedToIt) {
        int number = heaps.length;
        ReturnedRuns[] moreReturned = Arrays.copyOf(returned, number + 1);
        moreReturned[number] = returnedToIt;
        returned = moreReturned;
        SlotHeap[] more = Arrays.copyOf(heaps, number + 1);
        more[number] = heap;
        heaps = more;
    }

    SlotHeap heap(int number) {
        return heaps[number];
    }

    /** By any thread: others than the heap's owner have freed blocks of its run. */
    void pushReturned(int heap, long run) {
        returned[heap].push(run);
    }

    /** By their numbers; not to be changed. */
    SlotHeap[] heaps() {
        return heaps;
    }

    // ---- slabs ----

    void add(Slab slab, long pageCount, boolean isZero) {
        lock();
        try {
            SlabPages added = new SlabPages(slab, freeNumber(), pageCount, isZero);
            try {
                if (added.number == slabs.size()) {
                    slabs.add(null);
                }
                slabs.set(added.number, added);
                sortSlabs();
            } catch (Throwable e) {
                slabs.replaceAll(one -> one == added ? null : one);
                added.forget();
                throw e;
            }
            pages.add(added);
            countFreed(1);
        } finally {
            unlock();
        }
    }

    private int freeNumber() {
        int number = slabs.indexOf(null);
        number = number < 0 ? slabs.size() : number;
        if (number > SlabPages.NUMBER_MAX) {
            throw new OutOfArenaMemoryException("an arena has at most slabs=" + (SlabPages.NUMBER_MAX + 1)
                    + "; give it a larger byteSize to begin with");
        }
        return number;
    }

    /** Forgets all slabs on which nothing is, from that number on; no thread is within the arena. */
    List<Slab> removeIdle(int firstNumber) {
        return removeIdle(firstNumber, 0);
    }

    /** As {@link #removeIdle(int)}, but none if they have less bytes together. */
    List<Slab> removeIdle(int firstNumber, long byteSizeMin) {
        List<SlabPages> idle = slabs().stream().filter(slab -> slab.number >= firstNumber && slab.isIdle()).toList();
        if (idle.stream().mapToLong(SlabPages::byteSize).sum() < byteSizeMin) {
            return List.of();
        }
        for (SlabPages slab : idle) {
            pages.remove(slab);
            slabs.set(slab.number, null);
            slab.forget();
        }
        sortSlabs();
        return idle.stream().map(slab -> slab.slab).toList();
    }

    private void sortSlabs() {
        SlabPages[] sorted = slabs.stream().filter(Objects::nonNull)
                .sorted(Comparator.comparingLong(slab -> slab.address)).toArray(SlabPages[]::new);
        slabByteSize.setOpaque(Stream.of(sorted).mapToLong(SlabPages::byteSize).sum());
        slabsByAddress = sorted;
        slabPageCount = Stream.of(sorted).mapToLong(slab -> slab.pageCount).sum();
    }

    /** By address. */
    List<SlabPages> slabs() {
        return List.of(slabsByAddress);
    }

    /** Not to be changed. */
    SlabPages[] slabsByAddress() {
        return slabsByAddress;
    }

    /** The slab that the address is in; null if there is none. Slabs are few: their sizes grow with their number. */
    SlabPages slabAt(long address) {
        for (SlabPages slab : slabsByAddress) {
            if (slab.contains(address)) {
                return slab;
            }
        }
        return null;
    }

    // ---- rooms ----

    /** Called with the lock, by who comes for a heap: whether it met another one. */
    private void visit(Rooms user) {
        if (lastUser != user) {
            lastUser = user;
            if (wasGivenBack) {
                user.met();
            }
        }
    }

    /**
     * A free run that is in no tree any more, between borders; 0 if there is not so much to spare.
     *
     * @param pagesMin the least that is of use
     */
    long lend(Rooms user, long pagesMin, long pagesWanted) {
        lock();
        try {
            wasShort &= isMoreInUseThan(RELIEF_PERCENT);
            long length = Math.min(pagesWanted, pages.free.pageCount() / LENDING_SHARE) & -Rooms.ALIGNMENT_PAGES;
            if (wasShort || isMoreInUseThan(PLENTY_PERCENT) || length < pagesMin || length == 0) {
                return 0;
            }
            long run = pages.takeOut(length + Rooms.ALIGNMENT_PAGES - 1);
            if (run == 0) {
                return 0;
            }
            long front = -slabs.get(RunRecord.slab(run)).startPage(run) & Rooms.ALIGNMENT_PAGES - 1;
            run = front == 0 ? run : pages.cutFront(run, front);
            if (RunRecord.pageCount(run) > length) {
                pages.splitOff(run, length);
            }
            addBorders(run, user.heap);
            slabs.get(RunRecord.slab(run)).soil(run);
            lentPageCount += length;
            return run;
        } finally {
            unlock();
        }
    }

    /** A room that is one free run, in no tree any more. */
    void takeBack(Rooms user, long run) {
        lock();
        try {
            visit(user);
            RunRecord.room(run, RunRecord.NO_HEAP);
            removeBorders(run, run);
            lentPageCount -= RunRecord.pageCount(run);
            pages.putBack(run);
        } finally {
            unlock();
        }
    }

    /** What is free in rooms is needed: whoever asks is to come with all locked. */
    private boolean isShort() {
        return lentPageCount > 0 && isMoreInUseThan(SHORTAGE_PERCENT);
    }

    private boolean isMoreInUseThan(long percent) {
        return slabPageCount - pages.free.pageCount() > pageCountMax / 100 * percent;
    }

    /** With all locked: there are no rooms any more; nor will there be, if that is since memory is short. */
    void lendNoMore() {
        wasShort |= isMoreInUseThan(PLENTY_PERCENT);
    }

    /** With all locked: so many pages are in no room any more. */
    void endLoan(long pageCount) {
        lentPageCount -= pageCount;
    }

    private static void addBorders(long run, int heap) {
        long before = RunRecord.before(run);
        if (before != run && RunRecord.room(before) == RunRecord.NO_HEAP) {
            RunRecord.addBorder(before, RunRecord.BORDER_BEHIND);
        }
        long behind = RunRecord.after(run);
        if (RunRecord.room(behind) == RunRecord.NO_HEAP) {
            RunRecord.addBorder(behind, RunRecord.BORDER_BEFORE);
        }
        RunRecord.room(run, heap);
        RunRecord.addBorder(run, RunRecord.BORDER_BEFORE | RunRecord.BORDER_BEHIND);
    }

    /** With the lock, of what was a room: between it and what is no room there is no border any more. */
    static void removeBorders(long first, long last) {
        long before = RunRecord.before(first);
        if (before == first) {
            RunRecord.removeBorder(first, RunRecord.BORDER_BEFORE);
        } else if (RunRecord.room(before) == RunRecord.NO_HEAP) {
            RunRecord.removeBorder(before, RunRecord.BORDER_BEHIND);
            RunRecord.removeBorder(first, RunRecord.BORDER_BEFORE);
        }
        long behind = RunRecord.after(last);
        RunRecord.previousPageCount(behind, RunRecord.pageCount(last));
        if (RunRecord.room(behind) == RunRecord.NO_HEAP) {
            RunRecord.removeBorder(last, RunRecord.BORDER_BEHIND);
            RunRecord.removeBorder(behind, RunRecord.BORDER_BEFORE);
        }
    }

    /** With all locked: large blocks that were in a room. */
    void adoptLarge(long count, long byteSize) {
        add(largeFreeCount, -count);
        addLarge(byteSize);
    }

    /** Whether a block could be at the address, but the memory there is free; no thread is within the arena. */
    boolean isFree(long address) {
        SlabPages slab = slabAt(address);
        return slab != null && address % SizeClasses.ALIGNMENT == 0 && RunRecord.isFree(slab.runOver(address));
    }

    // ---- runs of slots ----

    /** A run for slots of that class, all free, of the heap; 0 if no free run is long enough. */
    long takeSlots(Rooms user, int sizeClass, long pageCount) {
        lock();
        try {
            visit(user);
            long run = isShort() ? 0 : pages.take(pageCount, RunRecord.SLOTS);
            if (run != 0) {
                SlotRun.carve(run, user.heap, sizeClass);
                slabs.get(RunRecord.slab(run)).enter(run);
            }
            return run;
        } finally {
            unlock();
        }
    }

    void giveSlots(Rooms user, long run) {
        lock();
        try {
            visit(user);
            RunRecord.owner(run, RunRecord.NO_HEAP);
            give(run);
        } finally {
            unlock();
        }
    }

    // ---- large blocks ----

    /** Its address; 0 if no free run is long enough; or, if that is to be spared, only the longest, and that too long. */
    long takeLarge(Rooms user, long pageCount, boolean sparesLongest) {
        lock();
        try {
            visit(user);
            if (isShort()) {
                return 0;
            }
            return handOut(sparesLongest ? pages.takeSparingLongest(pageCount, RunRecord.LARGE)
                    : pages.take(pageCount, RunRecord.LARGE));
        } finally {
            unlock();
        }
    }

    /** As {@link #takeLarge}, beginning at a multiple of the alignment, which is one of pages. */
    long takeAligned(long pageCount, long alignment) {
        lock();
        try {
            return isShort() ? 0 : handOut(pages.takeAligned(pageCount, alignment, RunRecord.LARGE));
        } finally {
            unlock();
        }
    }

    private long handOut(long run) {
        if (run == 0) {
            return 0;
        }
        slabs.get(RunRecord.slab(run)).enter(run);
        add(largeAllocationCount, 1);
        addLarge(RunRecord.byteSize(run));
        return RunRecord.address(run);
    }

    /** Whether it is known of a block that nobody has used yet; of small ones it is not. */
    boolean isZero(long address) {
        lock();
        try {
            SlabPages slab = slabAt(address);
            return slab != null && slab.isZero(address);
        } finally {
            unlock();
        }
    }

    /** @throws IllegalArgumentException if no large block begins at the address, or no longer */
    void giveLarge(Rooms user, long run, long address) {
        lock();
        try {
            visit(user);
            SlotRun.checkLarge(run, address);
            unmark(run);
            add(largeFreeCount, 1);
            addLarge(-RunRecord.byteSize(run));
            countFreed(RunRecord.byteSize(run));
            give(run);
        } finally {
            unlock();
        }
    }

    /** Makes a large block longer or shorter where it is; false if what is behind it is not free. */
    boolean resizeLarge(long run, long address, long pageCount) {
        lock();
        try {
            SlotRun.checkLarge(run, address);
            unmark(run);
            slabs.get(RunRecord.slab(run)).soil(run);
            long before = RunRecord.pageCount(run);
            if (pageCount < before) {
                pages.shrink(run, pageCount);
            } else if (pageCount > before && !pages.grow(run, pageCount)) {
                return false;
            }
            addLarge((pageCount - before) * SizeClasses.PAGE_BYTE_SIZE);
            countFreed(Math.max(0, before - pageCount) * SizeClasses.PAGE_BYTE_SIZE);
            return true;
        } finally {
            unlock();
        }
    }

    private void give(long run) {
        SlabPages slab = slabs.get(RunRecord.slab(run));
        slab.erase(run);
        slab.soil(run);
        pages.give(run);
        wasGivenBack = true;
    }

    private void addLarge(long byteSize) {
        if (byteSize < 0) {
            peak.look();
        }
        largeByteSize.setRelease(largeByteSize.getPlain() + byteSize);
    }

    private void countFreed(long byteSize) {
        freedByteSize.setRelease(freedByteSize.getPlain() + byteSize);
    }

    private static void add(AtomicLong count, long value) {
        count.setOpaque(count.getPlain() + value);
    }

    // ---- large blocks that stand in the way of others ----

    /** How many with a mark were freed, or made longer or shorter; counted before they are. By any thread. */
    long freedObstacleCount() {
        return freedObstacleCount.getAcquire(PADDING);
    }

    /**
     * By who is within a heap. The run gets a mark, if it is a large block in no room.
     *
     * @return how many pages it had at some moment of the call, since when each change of them is counted; 0 if it is none
     */
    long markedPages(long run) {
        long before = freedObstacleCount();
        boolean isMarked = RunRecord.isMarked(run);
        // In this order: how long it was before it got its mark may have been for a moment only.
        VarHandle.acquireFence();
        long pageCount = RunRecord.pageCount(run);
        VarHandle.acquireFence();
        if (isMarked && freedObstacleCount() == before) {
            return pageCount;
        }
        return isLargeInNoRoom(run) ? mark(run) : 0;
    }

    private static boolean isLargeInNoRoom(long run) {
        return RunRecord.kind(run) == RunRecord.LARGE && RunRecord.room(run) == RunRecord.NO_HEAP;
    }

    private long mark(long run) {
        lock();
        try {
            if (!isLargeInNoRoom(run)) {
                return 0;
            }
            VarHandle.releaseFence();
            RunRecord.mark(run, true);
            return RunRecord.pageCount(run);
        } finally {
            unlock();
        }
    }

    /**
     * With the lock, before it is freed or changed. The mark goes before it is counted: who has read the new count finds no mark, and so
     * remembers none of what is free in a moment.
     */
    private void unmark(long run) {
        if (RunRecord.isMarked(run)) {
            RunRecord.mark(run, false);
            freedObstacleCount.getAndIncrement(PADDING);
        }
    }

    // ---- figures, which whoever does not have the lock may read too, of any recent moment ----

    long slabByteSize() {
        return slabByteSize.getOpaque();
    }

    /** That all slabs may have, or have. */
    long byteSizeMax() {
        return Math.max(pageCountMax * SizeClasses.PAGE_BYTE_SIZE, slabByteSize());
    }

    long largeByteSize() {
        return largeByteSize.getAcquire();
    }

    /** See {@link SlotHeap#allocatedBound}. */
    long allocatedBound() {
        long freed = freedByteSize.getAcquire();
        return freed + largeByteSize();
    }

    /** See {@link SlotHeap#freedBound}. */
    long freedBound() {
        return freedByteSize.getAcquire();
    }

    long largeAllocationCount() {
        return largeAllocationCount.getOpaque();
    }

    long largeFreeCount() {
        return largeFreeCount.getOpaque();
    }
}
