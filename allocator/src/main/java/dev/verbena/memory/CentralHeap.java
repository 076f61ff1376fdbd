package dev.verbena.memory;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What all threads of an arena share: its slabs and their runs, those that are free and those that are one large block each.
 *
 * <p>Invariants: those of {@link PageRuns}; {@code slabByteSize} is the sum over the slabs, {@code largeByteSize} that over the runs
 * in LARGE, of which there are {@code largeAllocationCount - largeFreeCount}.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> the fields are guarded by {@code lock}, which the methods that take and give
 * take; {@link #runAt} and {@link #slabAt} are thread-safe.
 */
final class CentralHeap {
    final ReentrantLock lock = new ReentrantLock();
    final List<SlabPages> slabs = new ArrayList<>();
    final LivePeak peak = new LivePeak();
    final PageRuns pages;
    /** By address; copied on change. */
    private volatile SlabPages[] slabsByAddress = {};
    private long slabByteSize;
    private long largeByteSize;
    private long largeAllocationCount;
    private long largeFreeCount;

    CentralHeap(PageRuns pages) {
        this.pages = pages;
    }

    // ---- slabs ----

    void add(Slab slab, long pageCount) {
        lock.lock();
        try {
            SlabPages added = pages.add(slab, slabs.size(), pageCount);
            slabs.add(added);
            slabByteSize += added.byteSize();
            sortSlabs();
        } finally {
            lock.unlock();
        }
    }

    /** Forgets all slabs, which are whole free runs. */
    List<SlabPages> removeAll() {
        List<SlabPages> removed = List.copyOf(slabs);
        for (SlabPages slab : removed) {
            pages.free.remove(slab.first);
        }
        slabs.clear();
        slabByteSize = 0;
        sortSlabs();
        return removed;
    }

    private void sortSlabs() {
        SlabPages[] sorted = slabs.toArray(SlabPages[]::new);
        Arrays.sort(sorted, Comparator.comparingLong(slab -> slab.address));
        slabsByAddress = sorted;
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

    /** The run with a block that may begin at the address; null if there is none. */
    UsedRun runAt(long address) {
        SlabPages slab = slabAt(address);
        return slab == null ? null : slab.runAt(address);
    }

    // ---- runs of slots ----

    /** A run for slots of that class, all free, of the heap; null if no free run is long enough. */
    SlotRun takeSlots(ThreadHeap heap, int sizeClass, long pageCount) {
        lock.lock();
        try {
            PageRun run = pages.take(pageCount, PageRun.Use.SLOTS);
            if (run == null) {
                return null;
            }
            run.slots().carve(heap, sizeClass);
            run.slab.enter(run);
            return run.slots();
        } finally {
            lock.unlock();
        }
    }

    void giveSlots(SlotRun run) {
        lock.lock();
        try {
            give(run.pages);
        } finally {
            lock.unlock();
        }
    }

    // ---- large blocks ----

    /** Its address; 0 if no free run is long enough. */
    long takeLarge(long pageCount) {
        lock.lock();
        try {
            PageRun run = pages.take(pageCount, PageRun.Use.LARGE);
            if (run == null) {
                return 0;
            }
            run.slab.enter(run);
            largeAllocationCount++;
            largeByteSize += run.byteSize();
            peak.large(largeByteSize);
            return run.address;
        } finally {
            lock.unlock();
        }
    }

    /** @throws IllegalArgumentException if no large block begins at the address, or no longer */
    void giveLarge(PageRun run, long address) {
        lock.lock();
        try {
            if (run.use() != PageRun.Use.LARGE || run.address != address) {
                throw ArenaHeap.noBlock(address);
            }
            largeFreeCount++;
            largeByteSize -= run.byteSize();
            peak.large(largeByteSize);
            give(run);
        } finally {
            lock.unlock();
        }
    }

    private void give(PageRun run) {
        run.slab.erase(run);
        pages.give(run);
    }

    // ---- figures ----

    long slabByteSize() {
        lock.lock();
        try {
            return slabByteSize;
        } finally {
            lock.unlock();
        }
    }

    long largeByteSize() {
        return largeByteSize;
    }

    long largeAllocationCount() {
        return largeAllocationCount;
    }

    long largeFreeCount() {
        return largeFreeCount;
    }
}
