package dev.verbena.memory.heap;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicLong;
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
    private final ReentrantLock lock = new ReentrantLock();
    /** How often it was taken: what threads share, they wait for. */
    private long lockCount;
    final LivePeak peak = new LivePeak(this);
    final PageRuns pages;
    /** By number; null where there is none any more. */
    private final List<SlabPages> slabs = new ArrayList<>();
    /** By address; copied on change. */
    private volatile SlabPages[] slabsByAddress = {};
    /** By their numbers; copied on change. */
    private volatile ThreadHeap[] heaps = {};
    /** Of each heap, likewise: who frees another's block reads nothing of that one's heap. */
    private volatile ReturnedRuns[] returned = {};
    private final AtomicLong slabByteSize = new AtomicLong();
    private final AtomicLong largeByteSize = new AtomicLong();
    private final AtomicLong largeAllocationCount = new AtomicLong();
    private final AtomicLong largeFreeCount = new AtomicLong();

    CentralHeap(PageRuns pages) {
        this.pages = pages;
    }

    void lock() {
        lock.lock();
        lockCount++;
    }

    void unlock() {
        lock.unlock();
    }

    /** Called while no other thread is within the arena. For checks. */
    long lockCount() {
        return lockCount;
    }

    // ---- heaps ----

    /** One at a time. @return its number */
    int add(ThreadHeap heap, ReturnedRuns returnedToIt) {
        int number = heaps.length;
        ReturnedRuns[] moreReturned = Arrays.copyOf(returned, number + 1);
        moreReturned[number] = returnedToIt;
        returned = moreReturned;
        ThreadHeap[] more = Arrays.copyOf(heaps, number + 1);
        more[number] = heap;
        heaps = more;
        return number;
    }

    ThreadHeap heap(int number) {
        return heaps[number];
    }

    /** By any thread: others than its heap's owner have freed blocks of the run. */
    void pushReturned(long run) {
        returned[RunRecord.heap(run)].push(run);
    }

    /** By their numbers; not to be changed. */
    ThreadHeap[] heaps() {
        return heaps;
    }

    // ---- slabs ----

    void add(Slab slab, long pageCount) {
        lock();
        try {
            SlabPages added = new SlabPages(slab, freeNumber(), pageCount);
            if (added.number == slabs.size()) {
                slabs.add(null);
            }
            slabs.set(added.number, added);
            pages.add(added);
            sortSlabs();
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
        List<Slab> removed = new ArrayList<>();
        for (SlabPages slab : slabs()) {
            if (slab.number >= firstNumber && slab.isIdle()) {
                pages.free.remove(slab.first);
                slabs.set(slab.number, null);
                slab.forget();
                removed.add(slab.slab);
            }
        }
        sortSlabs();
        return removed;
    }

    private void sortSlabs() {
        SlabPages[] sorted = slabs.stream().filter(Objects::nonNull)
                .sorted(Comparator.comparingLong(slab -> slab.address)).toArray(SlabPages[]::new);
        slabByteSize.setOpaque(Stream.of(sorted).mapToLong(SlabPages::byteSize).sum());
        slabsByAddress = sorted;
    }

    /** By address. */
    List<SlabPages> slabs() {
        return List.of(slabsByAddress);
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

    // ---- runs of slots ----

    /** A run for slots of that class, all free, of the heap; 0 if no free run is long enough. */
    long takeSlots(int heap, int sizeClass, long pageCount) {
        lock();
        try {
            long run = pages.take(pageCount, RunRecord.slotsOf(sizeClass));
            if (run != 0) {
                SlotRun.carve(run, heap, sizeClass);
                slabs.get(RunRecord.slab(run)).enter(run);
            }
            return run;
        } finally {
            unlock();
        }
    }

    void giveSlots(long run) {
        lock();
        try {
            RunRecord.heap(run, RunRecord.NO_HEAP);
            give(run);
        } finally {
            unlock();
        }
    }

    // ---- large blocks ----

    /** Its address; 0 if no free run is long enough. */
    long takeLarge(long pageCount) {
        return takeLarge(pageCount, false);
    }

    /** Its address; 0 if no free run is long enough, or only the longest and that too long. */
    long takeLargeSparingLongest(long pageCount) {
        return takeLarge(pageCount, true);
    }

    private long takeLarge(long pageCount, boolean sparesLongest) {
        lock();
        try {
            return handOut(sparesLongest ? pages.takeSparingLongest(pageCount, RunRecord.LARGE)
                    : pages.take(pageCount, RunRecord.LARGE));
        } finally {
            unlock();
        }
    }

    /** As {@link #takeLarge(long)}, beginning at a multiple of the alignment, which is one of pages. */
    long takeAligned(long pageCount, long alignment) {
        lock();
        try {
            return handOut(pages.takeAligned(pageCount, alignment, RunRecord.LARGE));
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
        add(largeByteSize, RunRecord.byteSize(run));
        peak.large(largeByteSize.getPlain());
        return RunRecord.address(run);
    }

    /** @throws IllegalArgumentException if no large block begins at the address, or no longer */
    void giveLarge(long run, long address) {
        lock();
        try {
            checkLarge(run, address);
            add(largeFreeCount, 1);
            add(largeByteSize, -RunRecord.byteSize(run));
            peak.large(largeByteSize.getPlain());
            give(run);
        } finally {
            unlock();
        }
    }

    /** Makes a large block longer or shorter where it is; false if what is behind it is not free. */
    boolean resizeLarge(long run, long address, long pageCount) {
        lock();
        try {
            checkLarge(run, address);
            long before = RunRecord.pageCount(run);
            if (pageCount < before) {
                pages.shrink(run, pageCount);
            } else if (pageCount > before && !pages.grow(run, pageCount)) {
                return false;
            }
            add(largeByteSize, (pageCount - before) * SizeClasses.PAGE_BYTE_SIZE);
            peak.large(largeByteSize.getPlain());
            return true;
        } finally {
            unlock();
        }
    }

    private static void checkLarge(long run, long address) {
        if (RunRecord.kind(run) != RunRecord.LARGE || RunRecord.address(run) != address) {
            throw ArenaHeap.noBlock(address);
        }
    }

    private void give(long run) {
        slabs.get(RunRecord.slab(run)).erase(run);
        pages.give(run);
    }

    private static void add(AtomicLong count, long value) {
        count.setOpaque(count.getPlain() + value);
    }

    // ---- figures, which whoever does not have the lock may read too, of any recent moment ----

    long slabByteSize() {
        return slabByteSize.getOpaque();
    }

    long largeByteSize() {
        return largeByteSize.getOpaque();
    }

    long largeAllocationCount() {
        return largeAllocationCount.getOpaque();
    }

    long largeFreeCount() {
        return largeFreeCount.getOpaque();
    }
}
