package dev.verbena.memory;

import java.util.concurrent.locks.ReentrantLock;

/**
 * Free slots kept near the threads that use them: for each size class a stack, of bounded height, of slots taken from and given
 * back to the {@link CentralHeap} by the batch (the magazines of Bonwick and Adams, "Magazines and Vmem", USENIX 2001).
 *
 * <p>A thread finds its cache by its id. So there are few caches whatever the number of threads, none is lost with a thread, virtual
 * threads are like any others, and a thread may free what another one allocated: the slot goes to the freeing thread's cache, and
 * from there, by the batch, back to all. The lock is there for the threads that share a cache and for draining; it is
 * mostly free.
 *
 * <p>Invariant: a slot is in at most one cache, once, and not free in its run.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> every method is called with {@code lock} held, those with a {@link CentralHeap}
 * with its lock too; a thread that has the heap's lock takes no cache's lock.
 */
final class ThreadCache {
    private static final long CLASS_BYTE_SIZE_MAX = 16 * 1024;
    private static final int HEIGHT_MIN = 2;
    private static final int HEIGHT_MAX = 64;

    final ReentrantLock lock = new ReentrantLock();
    private final PageRun[][] runs = new PageRun[SizeClasses.COUNT][];
    private final byte[][] slots = new byte[SizeClasses.COUNT][];
    private final int[] height = new int[SizeClasses.COUNT];
    /** Blocks that threads took from and gave to this cache. */
    long allocationCount;
    long freeCount;

    /** Slots of that class that a cache keeps at most. */
    static int heightMax(int sizeClass) {
        return Math.clamp(CLASS_BYTE_SIZE_MAX / SizeClasses.slotByteSize(sizeClass), HEIGHT_MIN, HEIGHT_MAX);
    }

    int height(int sizeClass) {
        return height[sizeClass];
    }

    boolean isFull(int sizeClass) {
        return height[sizeClass] == heightMax(sizeClass);
    }

    void push(PageRun run, int slot) {
        int sizeClass = run.sizeClass;
        if (runs[sizeClass] == null) {
            runs[sizeClass] = new PageRun[heightMax(sizeClass)];
            slots[sizeClass] = new byte[heightMax(sizeClass)];
        }
        int top = height[sizeClass]++;
        runs[sizeClass][top] = run;
        slots[sizeClass][top] = (byte) slot;
    }

    /** Removes the top; {@link #run} and {@link #slot} at the place returned say what it was, until the next push. */
    int pop(int sizeClass) {
        return --height[sizeClass];
    }

    PageRun run(int sizeClass, int place) {
        return runs[sizeClass][place];
    }

    int slot(int sizeClass, int place) {
        return slots[sizeClass][place];
    }

    /** Fills an empty stack half from one run of the heap, as far as it has free slots. */
    void refill(int sizeClass, CentralHeap heap) {
        PageRun run = heap.runWithFreeSlot(sizeClass);
        if (run == null) {
            return;
        }
        for (int wanted = heightMax(sizeClass) / 2; wanted > 0 && run.freeSlots != 0; wanted--) {
            push(run, heap.takeSlot(run));
        }
    }

    /** Gives the longest unused slots back so that no more than {@code kept} stay. */
    void drain(int sizeClass, int kept, CentralHeap heap) {
        int given = height[sizeClass] - kept;
        if (given <= 0) {
            return;
        }
        for (int place = 0; place < given; place++) {
            heap.giveSlot(runs[sizeClass][place], slots[sizeClass][place]);
        }
        System.arraycopy(runs[sizeClass], given, runs[sizeClass], 0, kept);
        System.arraycopy(slots[sizeClass], given, slots[sizeClass], 0, kept);
        height[sizeClass] = kept;
    }

    void drainAll(CentralHeap heap) {
        for (int sizeClass = 0; sizeClass < SizeClasses.COUNT; sizeClass++) {
            drain(sizeClass, 0, heap);
        }
    }
}
