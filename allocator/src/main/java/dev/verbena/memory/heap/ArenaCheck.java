package dev.verbena.memory.heap;

import java.util.ArrayList;
import java.util.List;

/**
 * Counts an arena from its slabs upwards, to be compared with what it says of itself. The equations are in
 * {@code TensorArena.isConsistent}.
 *
 * <p><b>Owner:</b> the caller. <b>Threading:</b> confined; all locks of the {@link ArenaHeap} are held.
 */
final class ArenaCheck {
    /** What the runs of one heap add up to. */
    private static final class Sums {
        final int[] binCount = new int[SizeClasses.COUNT];
        final int[] liveCount = new int[SizeClasses.COUNT];
        long liveByteSize;
        long runByteSize;
    }

    private final CentralHeap central;
    private final List<Sums> heaps = new ArrayList<>();
    private boolean sound = true;
    private long liveByteSize;
    private long liveCount;
    private long freeByteSize;
    private long freeRunCount;
    private long freePageCount;

    ArenaCheck(CentralHeap central) {
        this.central = central;
        for (int i = 0; i < central.heaps().length; i++) {
            heaps.add(new Sums());
        }
        central.slabs().forEach(this::countSlab);
        for (int i = 0; i < heaps.size(); i++) {
            compare(central.heap(i), heaps.get(i));
        }
    }

    boolean confirms(long saidLiveByteSize, long saidLiveCount) {
        FreeRuns free = central.pages.free;
        return sound && liveByteSize == saidLiveByteSize && liveCount == saidLiveCount
                && liveByteSize + freeByteSize == central.slabByteSize()
                && free.isConsistent() && free.runCount() == freeRunCount && free.pageCount() == freePageCount;
    }

    private void compare(ThreadHeap heap, Sums sums) {
        sound &= heap.liveByteSize() == sums.liveByteSize && heap.runByteSize() == sums.runByteSize;
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            sound &= heap.checkedBinCount(sizeClass) == sums.binCount[sizeClass]
                    && heap.liveCount(sizeClass) == sums.liveCount[sizeClass];
        }
    }

    private void countSlab(SlabPages slab) {
        sound &= slab.isTiled() && central.slabAt(slab.address) == slab;
        if (!sound) {
            return;
        }
        for (long run = slab.first; RunRecord.kind(run) != RunRecord.END; run = RunRecord.after(run)) {
            switch (RunRecord.kind(run)) {
                case RunRecord.FREE -> {
                    freeRunCount++;
                    freePageCount += RunRecord.pageCount(run);
                    freeByteSize += RunRecord.byteSize(run);
                }
                case RunRecord.LARGE -> {
                    liveCount++;
                    liveByteSize += RunRecord.byteSize(run);
                    sound &= RunRecord.heap(run) == RunRecord.NO_HEAP;
                }
                default -> countSlots(run);
            }
        }
    }

    private void countSlots(long run) {
        int heap = RunRecord.heap(run);
        if (heap < 0 || heap >= heaps.size()) {
            sound = false;
            return;
        }
        int sizeClass = RunRecord.sizeClass(run);
        long free = RunRecord.freeSlots(run);
        long all = SlotRun.allSlots(run);
        sound &= (free & ~all) == 0 && (RunRecord.returnedSlots(run) & (free | ~all)) == 0
                && RunRecord.slotCount(run) == SizeClasses.slotsIn(sizeClass, RunRecord.pageCount(run));
        Sums sums = heaps.get(heap);
        liveCount += SlotRun.liveCount(run);
        liveByteSize += SlotRun.liveByteSize(run);
        freeByteSize += RunRecord.byteSize(run) - SlotRun.liveByteSize(run);
        sums.liveByteSize += SlotRun.liveByteSize(run);
        if (!SlotRun.isFull(run)) {
            sums.binCount[sizeClass]++;
        }
        sums.liveCount[sizeClass] += SlotRun.liveCount(run);
        sums.runByteSize += RunRecord.byteSize(run);
    }
}
