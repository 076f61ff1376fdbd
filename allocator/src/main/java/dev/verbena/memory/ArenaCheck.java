package dev.verbena.memory;

import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts an arena from its slabs upwards, to be compared with what it says of itself. The equations are in
 * {@link TensorArena#isConsistent()}.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> confined; all locks of the {@link ArenaHeap} are held.
 */
final class ArenaCheck {
    private final CentralHeap heap;
    private final Map<PageRun, Long> cachedSlots = new IdentityHashMap<>();
    private final int[] binCount = new int[SizeClasses.COUNT];
    private boolean sound = true;
    private long liveByteSize;
    private long liveCount;
    private long freeByteSize;
    private long freeRunCount;
    private long freePageCount;

    ArenaCheck(CentralHeap heap, List<ThreadCache> caches) {
        this.heap = heap;
        caches.forEach(this::countCached);
        heap.slabs.forEach(this::countSlab);
        sound &= cachedSlots.isEmpty();
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            sound &= heap.checkedBinCount(sizeClass) == binCount[sizeClass];
        }
    }

    boolean confirms(long saidLiveByteSize, long saidLiveCount) {
        RunTree tree = heap.pages.free;
        return sound && liveByteSize == saidLiveByteSize && liveCount == saidLiveCount
                && liveByteSize + freeByteSize == heap.slabByteSize()
                && tree.isConsistent() && tree.runCount() == freeRunCount && tree.pageCount() == freePageCount;
    }

    private void countCached(ThreadCache cache) {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            sound &= cache.height(sizeClass) <= ThreadCache.heightMax(sizeClass);
            for (int place = 0; place < cache.height(sizeClass); place++) {
                PageRun run = cache.run(sizeClass, place);
                long bit = 1L << cache.slot(sizeClass, place);
                long seen = cachedSlots.getOrDefault(run, 0L);
                sound &= (seen & bit) == 0 && run.sizeClass == sizeClass;
                cachedSlots.put(run, seen | bit);
            }
        }
    }

    private void countSlab(SlabPages slab) {
        sound &= slab.isTiled();
        for (PageRun run = slab.first; run != null; run = run.next) {
            switch (run.use()) {
                case FREE -> {
                    freeRunCount++;
                    freePageCount += run.pageCount;
                    freeByteSize += run.byteSize();
                }
                case LARGE -> {
                    liveCount++;
                    liveByteSize += run.byteSize();
                }
                case SLOTS -> countSlots(run);
                default -> sound = false;
            }
        }
    }

    private void countSlots(PageRun run) {
        Long removed = cachedSlots.remove(run);
        long cached = removed == null ? 0 : removed;
        long notLive = run.freeSlots | cached;
        sound &= (run.freeSlots & cached) == 0 && (notLive & ~run.allSlots()) == 0 && run.freeSlots != run.allSlots()
                && run.slotCount == SizeClasses.slotsIn(run.sizeClass, run.pageCount);
        int live = run.slotCount - Long.bitCount(notLive);
        liveCount += live;
        liveByteSize += (long) live * run.slotByteSize;
        freeByteSize += run.byteSize() - (long) live * run.slotByteSize;
        if (run.freeSlots != 0) {
            binCount[run.sizeClass]++;
        }
    }
}
