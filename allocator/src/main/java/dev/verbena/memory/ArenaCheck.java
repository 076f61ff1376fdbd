package dev.verbena.memory;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Counts an arena from its slabs upwards, to be compared with what it says of itself. The equations are in
 * {@link TensorArena#isConsistent()}.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> confined; all locks of the {@link ArenaHeap} are held.
 */
final class ArenaCheck {
    /** What the runs of one heap add up to. */
    private static final class Sums {
        final int[] binCount = new int[SizeClasses.COUNT];
        long liveByteSize;
        long idleByteSize;
    }

    private final CentralHeap central;
    private final Map<ThreadHeap, Sums> heaps = new HashMap<>();
    private boolean sound = true;
    private long liveByteSize;
    private long liveCount;
    private long freeByteSize;
    private long freeRunCount;
    private long freePageCount;

    ArenaCheck(CentralHeap central, List<ThreadHeap> heaps) {
        this.central = central;
        heaps.forEach(heap -> this.heaps.put(heap, new Sums()));
        central.slabs.forEach(this::countSlab);
        this.heaps.forEach(this::compare);
    }

    boolean confirms(long saidLiveByteSize, long saidLiveCount) {
        RunTree tree = central.pages.free;
        return sound && liveByteSize == saidLiveByteSize && liveCount == saidLiveCount
                && liveByteSize + freeByteSize == central.slabByteSize()
                && tree.isConsistent() && tree.runCount() == freeRunCount && tree.pageCount() == freePageCount;
    }

    private void compare(ThreadHeap heap, Sums sums) {
        sound &= heap.liveByteSize() == sums.liveByteSize && heap.idleByteSize() == sums.idleByteSize;
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            sound &= heap.checkedBinCount(sizeClass) == sums.binCount[sizeClass];
        }
    }

    private void countSlab(SlabPages slab) {
        sound &= slab.isTiled() && central.slabAt(slab.address) == slab;
        for (PageRun run = slab.first; run != null; run = run.next) {
            sound &= slab.isEntered(run);
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

    private void countSlots(PageRun pages) {
        SlotRun run = pages.slots();
        Sums sums = heaps.get(run.heap);
        if (sums == null) {
            sound = false;
            return;
        }
        long free = run.freeSlots();
        sound &= (free & ~run.allSlots()) == 0 && (run.returnedSlots() & (free | ~run.allSlots())) == 0
                && run.slotCount() == SizeClasses.slotsIn(run.sizeClass(), pages.pageCount);
        liveCount += run.slotCount() - Long.bitCount(free);
        liveByteSize += run.liveByteSize();
        freeByteSize += pages.byteSize() - run.liveByteSize();
        sums.liveByteSize += run.liveByteSize();
        if (!run.isFull()) {
            sums.binCount[run.sizeClass()]++;
        }
        if (run.isIdle()) {
            sums.idleByteSize += run.byteSize();
        }
    }
}
