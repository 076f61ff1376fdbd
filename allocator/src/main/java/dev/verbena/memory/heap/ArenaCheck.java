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
        /** Of its rooms, as below. */
        long freeRunCount;
        long freePageCount;
        long largeCount;
        long largeByteSize;
    }

    private final CentralHeap central;
    private final List<Sums> heaps = new ArrayList<>();
    private boolean sound = true;
    private long liveByteSize;
    private long liveCount;
    private long freeByteSize;
    /** What is in no room. */
    private final Sums others = new Sums();

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
                && isSound(free, others) && central.largeByteSize() == others.largeByteSize
                && central.largeAllocationCount() - central.largeFreeCount() == others.largeCount;
    }

    private static boolean isSound(FreeRuns free, Sums sums) {
        return free.isConsistent() && free.runCount() == sums.freeRunCount && free.pageCount() == sums.freePageCount;
    }

    /** Whose page it is. */
    private Sums roomOf(long run) {
        int room = RunRecord.room(run);
        return room == RunRecord.NO_HEAP ? others : heaps.get(room);
    }

    private void compare(SlotHeap heap, Sums sums) {
        Rooms rooms = heap.rooms();
        sound &= heap.liveByteSize() == sums.liveByteSize && heap.runByteSize() == sums.runByteSize
                && isSound(rooms.freeRuns(), sums) && rooms.liveByteSizeOpaque() == sums.largeByteSize
                && rooms.liveCountOpaque() == sums.largeCount && heap.knowsNoForgottenSlab();
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
                    freeByteSize += RunRecord.byteSize(run);
                    Sums sums = roomOf(run);
                    sums.freeRunCount++;
                    sums.freePageCount += RunRecord.pageCount(run);
                }
                case RunRecord.LARGE -> {
                    liveCount++;
                    liveByteSize += RunRecord.byteSize(run);
                    Sums sums = roomOf(run);
                    sums.largeCount++;
                    sums.largeByteSize += RunRecord.byteSize(run);
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
