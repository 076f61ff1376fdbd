package dev.verbena.memory.heap;

import java.lang.ref.WeakReference;

/**
 * Which thread has a heap: apart from all that the owner writes later, since every thread reads it that looks for its own.
 *
 * <p>Ids of threads are never used again, and who adopts is the new owner itself. So who reads his own id has written it, and whoever
 * else reads may see an older one.
 *
 * <p><b>Owner:</b> the {@link SlotHeap}. <b>Threading:</b> changed and asked for orphans with the lock of all; {@link #ownerId} is for any thread.
 */
abstract class Ownership extends LinePadding {
    private WeakReference<Thread> owner;
    private long ownerId;

    /** Whether the thread that owned it is no more. */
    final boolean isOrphaned() {
        Thread thread = owner.get();
        return thread == null || !thread.isAlive();
    }

    /** Of one that is new or orphaned, by the new owner. */
    final void adoptBy(Thread thread) {
        owner = new WeakReference<>(thread);
        ownerId = thread.threadId();
    }

    /** Of the thread; 0 of a shared one, which is the id of no thread. */
    final long ownerId() {
        return ownerId;
    }

    /** No field of a subclass is near these, nor in a gap between them. */
    @SuppressWarnings("unused")
    abstract static class Padded extends Ownership {
        private int gap;
        private long p0, p1, p2, p3, p4, p5, p6, p7, p8, p9, p10, p11, p12, p13, p14, p15;
    }
}
