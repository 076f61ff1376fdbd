package dev.verbena.memory.heap;

import java.util.List;

/**
 * Finds the heap that a thread owns, by the thread's id: quicker than a {@link ThreadLocal}, whose entries would outlive the arena.
 *
 * <p>The ids lie here, apart from the heaps: who looks for its own heap reads nothing that the owner of another one writes. Open
 * addressing with linear probing, at most a quarter full. Ids of threads are never used again.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}, which makes another one when a heap comes or changes hands. <b>Threading:</b> immutable.
 */
final class HeapTable {
    private static final int SHARE = 4;

    /** Of the thread that came last, quicker found than by {@link #get}: most arenas that are in a hurry have one thread. */
    final long lastId;
    /** Likewise; null if there is none yet. */
    final SlotHeap last;
    /** By place; 0, which is the id of no thread, where there is none. */
    private final long[] ids;
    private final SlotHeap[] heaps;

    /** @param last one of all; null if there is none yet */
    HeapTable(List<SlotHeap> all, SlotHeap last) {
        this.last = last;
        lastId = last == null ? 0 : last.ownerId();
        int length = Integer.highestOneBit(SHARE * all.size() + 1) * 2;
        ids = new long[length];
        heaps = new SlotHeap[length];
        for (SlotHeap heap : all) {
            int place = place(heap.ownerId());
            while (ids[place] != 0) {
                place = place + 1 & length - 1;
            }
            ids[place] = heap.ownerId();
            heaps[place] = heap;
        }
    }

    private int place(long threadId) {
        return (int) threadId & ids.length - 1;
    }

    /** Null if it owns none. */
    SlotHeap get(long threadId) {
        int place = place(threadId);
        for (long id = ids[place]; id != 0; id = ids[place]) {
            if (id == threadId) {
                return heaps[place];
            }
            place = place + 1 & ids.length - 1;
        }
        return null;
    }
}
