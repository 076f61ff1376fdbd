package dev.verbena.memory.heap;

import java.util.List;

/**
 * Finds the heap that a thread owns, by the thread's id: quicker than a {@link ThreadLocal}, whose entries would outlive the arena.
 *
 * <p>Open addressing with linear probing, at most a quarter full. Ids of threads are never used again.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}, which makes another one when a heap comes or changes hands. <b>Threading:</b> immutable.
 */
final class HeapTable {
    private static final int SHARE = 4;

    /** Null where there is none. */
    private final SlotHeap[] heaps;

    HeapTable(List<SlotHeap> all) {
        heaps = new SlotHeap[Integer.highestOneBit(SHARE * all.size() + 1) * 2];
        for (SlotHeap heap : all) {
            int place = place(heap.ownerId());
            while (heaps[place] != null) {
                place = next(place);
            }
            heaps[place] = heap;
        }
    }

    private int place(long threadId) {
        return (int) threadId & heaps.length - 1;
    }

    private int next(int place) {
        return place + 1 & heaps.length - 1;
    }

    /** Null if it owns none. */
    SlotHeap get(long threadId) {
        int place = place(threadId);
        SlotHeap heap = heaps[place];
        while (heap != null && heap.ownerId() != threadId) {
            place = next(place);
            heap = heaps[place];
        }
        return heap;
    }
}
