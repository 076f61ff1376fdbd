package dev.verbena.memory.heap;

/**
 * Knows of many requests that they would be refused without keeping anybody out: since the arena has not so many bytes that are not live,
 * however its slabs were exchanged, or since as much was refused before and nothing was freed since.
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
 * {@code allocated} grows as much. What goes from one heap to another does so with all locked, which is noticed.
 *
 * <p><b>Owner:</b> {@link ArenaHeap}. <b>Threading:</b> thread-safe; {@link #begin}, {@link #end} and {@link #refused} are for who has all
 * locked.
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
    /** Odd while somebody has all locked. */
    private volatile long epoch;
    private volatile Refused last;

    Refusals(CentralHeap central) {
        this.central = central;
    }

    void begin() {
        epoch = epoch + 1;
    }

    void end() {
        epoch = epoch + 1;
    }

    /** How often somebody had all locked. */
    long lockedAllCount() {
        return epoch + 1 >>> 1;
    }

    /** With all locked: there is none, but perhaps with a further slab. */
    void refused(long byteSize, long alignment) {
        last = new Refused(classOf(byteSize, alignment), SizeClasses.pagesOf(byteSize), alignment, freed());
    }

    /** Whether no slab of the arena has room for it, for sure, nor would have if idle ones were exchanged. */
    boolean isSure(long byteSize, long alignment) {
        long before = epoch;
        if ((before & 1) != 0) {
            return false;
        }
        Refused refused = last;
        long allocated = allocated();
        long freed = freed();
        long free = central.byteSizeMax() - (allocated - freed);
        boolean isSure = byteSize > free || refused != null && refused.freed() == freed && refused
                .covers(classOf(byteSize, alignment), SizeClasses.pagesOf(byteSize), alignment);
        return isSure && epoch == before;
    }

    private static int classOf(long byteSize, long alignment) {
        boolean isSlot = SizeClasses.isSmall(byteSize) && alignment <= SizeClasses.PAGE_BYTE_SIZE;
        return isSlot ? SizeClasses.indexOf(byteSize) : LARGE;
    }

    private long allocated() {
        long sum = central.allocatedBound();
        for (ThreadHeap heap : central.heaps()) {
            sum += heap.allocatedBound();
        }
        return sum;
    }

    private long freed() {
        long sum = central.freedBound();
        for (ThreadHeap heap : central.heaps()) {
            sum += heap.freedBound();
        }
        return sum;
    }
}
