package dev.verbena.memory.heap;

import java.util.List;

/**
 * Finds the heap that a thread owns, by the thread's id: quicker than a {@link ThreadLocal}, whose entries would outlive the arena.
 *
 * <p>Open addressing with linear probing, at most a quarter full. Ids of threads are never used again.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}, which makes another one when a heap comes or changes hands. <b>Threading:</b> immutable; whether a
 * heap in it is still the thread's, the heap says.
 */
final class HeapTable {
    private static final int SHARE = 4;

    private final ThreadHeap[] heaps;

    HeapTable(List<ThreadHeap> all) {
        heaps = new ThreadHeap[Integer.highestOneBit(SHARE * all.size() + 1) * 2];
        for (ThreadHeap heap : all) {
            int place = place(heap.ownerId());
            while (heaps[place] != null) {
                place = place + 1 & heaps.length - 1;
            }
            heaps[place] = heap;
        }
    }

    private int place(long threadId) {
        return (int) threadId & heaps.length - 1;
    }

    /** Null if it owns none. */
    ThreadHeap get(long threadId) {
        int place = place(threadId);
        for (ThreadHeap heap = heaps[place]; heap != null; heap = heaps[place]) {
            if (heap.ownerId() == threadId) {
                return heap;
            }
            place = place + 1 & heaps.length - 1;
        }
        return null;
    }
}
