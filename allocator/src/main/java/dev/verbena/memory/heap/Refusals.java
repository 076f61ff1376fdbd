package dev.verbena.memory.heap;

/**
 * Knows of many requests that they would be refused without keeping anybody out: since the arena has not so many bytes that are not live,
 * however its slabs were exchanged, since as much was refused before and nothing was freed since, or since {@link Obstacles} are everywhere:
 * asked first, for these are lines that stay as they are, while what threads have is written by them at each operation.
 *
 * <p>Bytes are counted by those who have them, each on its own lines, up only; nobody is stopped while they are read. All that was allocated
 * is read first and all that was freed behind it: at the moment between, no more was free than
 *
 * <pre>
 *   budget - (Σ allocated, read before - Σ freed, read after)
 * </pre>
 *
 * <p>so a request for more is refused rightly, whatever threads do meanwhile; and what was freed before the request, by whomever, is counted.
 * A heap's {@code allocated} is what is live and what was freed, in this order of writing, so that it is never too much; a
 * block that another thread freed counts as freed from before that is so, and once more only when the owner has taken it back, for which
 * {@code allocated} grows as much. What goes from one heap to another does so with all locked.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> thread-safe; {@link #isSure} is for who is within a heap, so that nobody has all
 * locked meanwhile; {@link #refused} for who has.
 */
final class Refusals {
    /** A small block is refused as one of its class; any larger one, if none of so many pages was to be had. */
    private record Refused(int sizeClass, long pageCount, long alignment, long freed) {
        boolean covers(int otherClass, long otherPageCount, long otherAlignment) {
            return sizeClass == otherClass && pageCount <= otherPageCount && alignment <= otherAlignment;
        }
    }

    private static final int LARGE = -1;

    private final CentralHeap central;
    private final Obstacles obstacles;
    private volatile Refused last;
    /** What is less was not refused lately. */
    private volatile long refusedByteSizeMin = Long.MAX_VALUE;

    Refusals(CentralHeap central) {
        this.central = central;
        obstacles = new Obstacles(central);
    }

    /** Whether it is worth while to ask {@link #isSure} before one looks for room: one so large, or less, was refused lately. */
    boolean areLikely(long byteSize) {
        return byteSize >= refusedByteSizeMin;
    }

    /** With all locked: there is none, but perhaps with a further slab. */
    void refused(long byteSize, long alignment) {
        last = new Refused(classOf(byteSize, alignment), SizeClasses.pagesOf(byteSize), alignment, freed());
    }

    /** Whether no slab of the arena has room for it, for sure, nor would have if idle ones were exchanged. */
    boolean isSure(long byteSize, long alignment) {
        int sizeClass = classOf(byteSize, alignment);
        long pageCount = SizeClasses.pagesOf(byteSize);
        boolean isSure = sizeClass == LARGE && obstacles.areEverywhere(pageCount)
                || isCounted(byteSize, sizeClass, pageCount, alignment);
        if (!isSure) {
            refusedByteSizeMin = Long.MAX_VALUE;
        } else if (byteSize < refusedByteSizeMin) {
            refusedByteSizeMin = byteSize;
        }
        return isSure;
    }

    private boolean isCounted(long byteSize, int sizeClass, long pageCount, long alignment) {
        Refused refused = last;
        long allocated = allocated();
        long freed = freed();
        return byteSize > central.byteSizeMax() - (allocated - freed) || refused != null && refused.freed() == freed
                && refused.covers(sizeClass, pageCount, alignment);
    }

    private static int classOf(long byteSize, long alignment) {
        boolean isSlot = SizeClasses.isSmall(byteSize) && alignment <= SizeClasses.PAGE_BYTE_SIZE;
        return isSlot ? SizeClasses.indexOf(byteSize) : LARGE;
    }

    private long allocated() {
        long sum = central.allocatedBound();
        for (SlotHeap heap : central.heaps()) {
            sum += heap.allocatedBound();
        }
        return sum;
    }

    private long freed() {
        long sum = central.freedBound();
        for (SlotHeap heap : central.heaps()) {
            sum += heap.freedBound();
        }
        return sum;
    }
}
