package dev.verbena.memory;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * What all threads of an arena share: its slabs, their free runs, and for each size class the runs with free slots.
 *
 * <p>Invariants: those of {@link PageRuns} and {@link SlotBin}; {@code slabByteSize} is the sum over the slabs; a run all of whose
 * slots are free gives its pages back at once.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> every method is called with {@code lock} held.
 */
final class CentralHeap {
    final ReentrantLock lock = new ReentrantLock();
    final List<SlabPages> slabs = new ArrayList<>();
    final PageRuns pages;
    private final SlotBin[] bins = new SlotBin[SizeClasses.COUNT];
    private long slabByteSize;
    /** Blocks that went out of and came back into this heap without passing through a thread's cache. */
    long allocationCount;
    long freeCount;

    CentralHeap(PageRuns pages) {
        this.pages = pages;
        for (int sizeClass = 0; sizeClass < bins.length; sizeClass++) {
            bins[sizeClass] = new SlotBin();
        }
    }

    long slabByteSize() {
        return slabByteSize;
    }

    void add(Slab slab, long pageCount) {
        SlabPages added = pages.add(slab, slabs.size(), pageCount);
        slabs.add(added);
        slabByteSize += added.byteSize();
    }

    /** Forgets all slabs, which are whole free runs. */
    List<SlabPages> removeAll() {
        List<SlabPages> removed = List.copyOf(slabs);
        for (SlabPages slab : removed) {
            pages.free.remove(slab.first);
        }
        slabs.clear();
        slabByteSize = 0;
        return removed;
    }

    PageRun takeLarge(long pageCount) {
        return pages.take(pageCount, PageRun.Use.LARGE);
    }

    void giveLarge(PageRun run) {
        pages.give(run);
    }

    /** A run with a free slot of that class, for {@link #takeSlot}; null if there is none. */
    PageRun runWithFreeSlot(int sizeClass) {
        return bins[sizeClass].first();
    }

    /** A fresh run, all of whose slots are free; the caller takes one at once. Null if no free run is long enough. */
    PageRun carve(int sizeClass, long pageCount) {
        PageRun run = pages.take(pageCount, PageRun.Use.SLOTS);
        if (run != null) {
            run.carve(sizeClass);
            bins[sizeClass].link(run);
        }
        return run;
    }

    int takeSlot(PageRun run) {
        int slot = run.takeSlot();
        if (run.freeSlots == 0) {
            bins[run.sizeClass].unlink(run);
        }
        return slot;
    }

    void giveSlot(PageRun run, int slot) {
        boolean wasFull = run.freeSlots == 0;
        run.giveSlot(slot);
        if (run.freeSlots == run.allSlots()) {
            if (!wasFull) {
                bins[run.sizeClass].unlink(run);
            }
            pages.give(run);
        } else if (wasFull) {
            bins[run.sizeClass].link(run);
        }
    }

    /** Runs linked in the bin of that class; -1 if the bin is unsound. For checks. */
    int checkedBinCount(int sizeClass) {
        return bins[sizeClass].checkedCount(sizeClass);
    }
}
