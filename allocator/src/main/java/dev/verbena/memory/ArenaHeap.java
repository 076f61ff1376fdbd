package dev.verbena.memory;

import java.util.List;
import java.util.stream.Stream;

/**
 * The blocks of an arena, given out and taken back: by the cache of a thread, by the heap that all share, or, when neither has one,
 * with every other thread kept out.
 *
 * <p>Order of locks: those of the caches by index, then that of the heap. Who holds them all sees every slot where it belongs: live, in
 * a cache or in its run.
 *
 * <p><b>Owner:</b> {@link TensorArena}. <b>Threading:</b> thread-safe.
 */
final class ArenaHeap {
    private static final int CACHES_MAX = 16;

    private final CentralHeap heap;
    private final List<ThreadCache> caches;
    private final LiveBytes live = new LiveBytes();
    /** Guarded by all locks together. */
    private boolean closed;

    ArenaHeap(PageRuns pages) {
        heap = new CentralHeap(pages);
        int count = Math.min(CACHES_MAX, Integer.highestOneBit(Runtime.getRuntime().availableProcessors() * 2 - 1));
        caches = Stream.generate(ThreadCache::new).limit(count).toList();
    }

    /** The fast path; null if it leads nowhere: then {@link #takeExclusively}. */
    ArenaBlock take(long byteSize) {
        return SizeClasses.isSmall(byteSize) ? cachedSlot(SizeClasses.indexOf(byteSize)) : freeRun(byteSize);
    }

    /**
     * With every thread kept out and the caches drained, so that no slot hides; null if only a further slab can help.
     *
     * @throws IllegalStateException if the arena is closed
     */
    ArenaBlock takeExclusively(long byteSize) {
        lockAll();
        try {
            if (closed) {
                throw new IllegalStateException("allocation of byteSize=" + byteSize + " in a closed arena");
            }
            if (SizeClasses.isSmall(byteSize)) {
                return handOutSlot(runWithSlot(SizeClasses.indexOf(byteSize)));
            }
            drainAll();
            return handOutRun(heap.takeLarge(SizeClasses.pagesOf(byteSize)));
        } finally {
            unlockAll();
        }
    }

    /** Called by the block, once, on the thread that closed or unpinned it last. */
    void release(ArenaBlock block) {
        PageRun run = block.run;
        if (run.use() == PageRun.Use.SLOTS) {
            releaseSlot(run, block.slot);
            return;
        }
        heap.lock.lock();
        try {
            live.subtract(run.byteSize());
            heap.freeCount++;
            heap.giveLarge(run);
        } finally {
            heap.lock.unlock();
        }
    }

    void add(Slab slab, long pageCount) {
        heap.lock.lock();
        try {
            heap.add(slab, pageCount);
        } finally {
            heap.lock.unlock();
        }
    }

    /**
     * Closes it for good.
     *
     * @return its slabs, to be released; none if it is closed already
     * @throws IllegalStateException while a block is live
     */
    List<SlabPages> close() {
        lockAll();
        try {
            if (liveCount() != 0) {
                throw new IllegalStateException(
                        "close of an arena with live or pinned tensors: liveCount=" + liveCount()
                                + " liveByteSize=" + live.now() + "; close and unpin them first");
            }
            closed = true;
            drainAll();
            return heap.removeAll();
        } finally {
            unlockAll();
        }
    }

    long slabByteSize() {
        heap.lock.lock();
        try {
            return heap.slabByteSize();
        } finally {
            heap.lock.unlock();
        }
    }

    ArenaStatistics statistics() {
        lockAll();
        try {
            drainAll();
            RunTree free = heap.pages.free;
            return new ArenaStatistics(heap.slabByteSize(), heap.slabs.size(), live.now(), live.peak(),
                    heap.slabByteSize() - live.now(), free.longest() * SizeClasses.PAGE_BYTE_SIZE, free.runCount(),
                    liveCount(), allocationCount());
        } finally {
            unlockAll();
        }
    }

    boolean isConsistent() {
        lockAll();
        try {
            return new ArenaCheck(heap, caches).confirms(live.now(), liveCount()) && live.peak() >= live.now();
        } finally {
            unlockAll();
        }
    }

    private void releaseSlot(PageRun run, int slot) {
        ThreadCache cache = cacheOfThread();
        cache.lock.lock();
        try {
            int sizeClass = run.sizeClass;
            if (cache.isFull(sizeClass)) {
                drainHalf(cache, sizeClass);
            }
            live.subtract(run.slotByteSize);
            cache.freeCount++;
            cache.push(run, slot);
        } finally {
            cache.lock.unlock();
        }
    }

    private void drainHalf(ThreadCache cache, int sizeClass) {
        heap.lock.lock();
        try {
            cache.drain(sizeClass, ThreadCache.heightMax(sizeClass) / 2, heap);
        } finally {
            heap.lock.unlock();
        }
    }

    private ArenaBlock cachedSlot(int sizeClass) {
        ThreadCache cache = cacheOfThread();
        cache.lock.lock();
        try {
            if (cache.height(sizeClass) == 0) {
                refill(cache, sizeClass);
                if (cache.height(sizeClass) == 0) {
                    return null;
                }
            }
            int place = cache.pop(sizeClass);
            cache.allocationCount++;
            return handOut(cache.run(sizeClass, place), cache.slot(sizeClass, place));
        } finally {
            cache.lock.unlock();
        }
    }

    private void refill(ThreadCache cache, int sizeClass) {
        heap.lock.lock();
        try {
            cache.refill(sizeClass, heap);
        } finally {
            heap.lock.unlock();
        }
    }

    private ArenaBlock freeRun(long byteSize) {
        heap.lock.lock();
        try {
            return handOutRun(heap.takeLarge(SizeClasses.pagesOf(byteSize)));
        } finally {
            heap.lock.unlock();
        }
    }

    /** A run with a free slot: an old one before a new one, a short one before none. */
    private PageRun runWithSlot(int sizeClass) {
        for (ThreadCache cache : caches) {
            cache.drain(sizeClass, 0, heap);
        }
        PageRun run = heap.runWithFreeSlot(sizeClass);
        if (run == null) {
            run = heap.carve(sizeClass, SizeClasses.runPages(sizeClass));
        }
        if (run == null) {
            drainAll();
            run = heap.carve(sizeClass, SizeClasses.runPages(sizeClass));
        }
        return run != null ? run : heap.carve(sizeClass, SizeClasses.runPagesMin(sizeClass));
    }

    private ArenaBlock handOutSlot(PageRun run) {
        if (run == null) {
            return null;
        }
        heap.allocationCount++;
        return handOut(run, heap.takeSlot(run));
    }

    private ArenaBlock handOutRun(PageRun run) {
        if (run == null) {
            return null;
        }
        heap.allocationCount++;
        return handOut(run, 0);
    }

    private ArenaBlock handOut(PageRun run, int slot) {
        live.add(run.blockByteSize());
        return new ArenaBlock(this, run, slot);
    }

    private ThreadCache cacheOfThread() {
        return caches.get((int) Thread.currentThread().threadId() & caches.size() - 1);
    }

    private void lockAll() {
        for (ThreadCache cache : caches) {
            cache.lock.lock();
        }
        heap.lock.lock();
    }

    private void unlockAll() {
        heap.lock.unlock();
        for (ThreadCache cache : caches) {
            cache.lock.unlock();
        }
    }

    private void drainAll() {
        for (ThreadCache cache : caches) {
            cache.drainAll(heap);
        }
    }

    private long allocationCount() {
        return caches.stream().mapToLong(cache -> cache.allocationCount).sum() + heap.allocationCount;
    }

    private long liveCount() {
        return allocationCount() - caches.stream().mapToLong(cache -> cache.freeCount).sum() - heap.freeCount;
    }
}
