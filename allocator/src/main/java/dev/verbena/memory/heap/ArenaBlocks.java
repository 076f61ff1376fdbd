package dev.verbena.memory.heap;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.LiveReport;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SiteUsage;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.events.AllocateEvent;
import dev.verbena.memory.events.ArenaEvents;
import dev.verbena.memory.events.FreeEvent;
import dev.verbena.memory.events.OutOfMemoryEvent;

/**
 * An arena by the addresses of its blocks: all that it does but making tensors of them. It is the heap, not has one: the way to a block is
 * one look shorter.
 *
 * <pre>
 *   small   run of the thread ──none──► returned by others ──none──► carve a run ──┐
 *   large   ─────────────────────────────────────────────────► best-fitting run ───┤   {@link ArenaHeap#take}
 *   ───────────────────────────────────────────────────────────────────────────────┼────────────────────────
 *                                                                             none ▼   {@link #takeSlowly}
 *             out of memory ◄──budget── a further slab ◄──none── every thread kept out: what they have free
 * </pre>
 *
 * <p>One that looks for mistakes of its users overrides a few methods here; as long as a process has none, the JIT calls these directly.
 *
 * <p><b>Owner:</b> {@code TensorArena}. <b>Threading:</b> thread-safe.
 */
public class ArenaBlocks extends ArenaHeap {
    /** The largest page that a machine has, so far. */
    public static final long ALIGNMENT_MAX = 1L << 30;

    static {
        ArenaEvents.offer();
    }

    private final ArenaGrowth growth;
    private final PinCount pins;
    /** Those that are not closed. */
    private final Set<Arena> scopes = ConcurrentHashMap.newKeySet();
    /** Nobody may use a tensor, nor pin one: all that is live is about to go, or is gone. */
    private volatile boolean isEnding;

    public ArenaBlocks(SlabSource source, long byteSize, long byteSizeMax, PageRuns pages) {
        this(source, byteSize, byteSizeMax, pages, new PinCount());
    }

    /** With another count of pins, for tests. */
    ArenaBlocks(SlabSource source, long byteSize, long byteSizeMax, PageRuns pages, PinCount pins) {
        super(pages, byteSizeMax);
        this.pins = pins;
        growth = new ArenaGrowth(this, source, byteSize, byteSizeMax);
    }

    /** @throws IllegalArgumentException if it is negative */
    public static void checkByteSize(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a block is negative");
        }
    }

    /** @throws IllegalArgumentException unless there are blocks of that size and alignment */
    public static void checkBlock(long byteSize, long alignment) {
        checkByteSize(byteSize);
        checkAlignment(alignment);
    }

    /** @throws IllegalArgumentException unless there are blocks of that alignment */
    public static void checkAlignment(long alignment) {
        if (Long.bitCount(alignment) != 1 || alignment < 0 || alignment > ALIGNMENT_MAX) {
            throw new IllegalArgumentException("alignment=" + alignment + " of a block must be a power of two, at most "
                    + ALIGNMENT_MAX);
        }
    }

    // ---- allocation ----

    /**
     * The address of a block of so many bytes, 0 or more, aligned as all are; 0 if there is none and {@code orNull}.
     *
     * @param type of the tensor that it is for, to be named in messages; null if it is for none; as {@code shape}
     * @throws OutOfArenaMemoryException if there is none otherwise
     * @throws IllegalStateException if the arena is closed
     */
    public final long allocate(long byteSize, boolean orNull, ElementType type, Shape shape) {
        return AllocateEvent.isOn() ? takeRecorded(byteSize, SizeClasses.ALIGNMENT, orNull, type, shape)
                : take(byteSize, SizeClasses.ALIGNMENT, orNull, type, shape);
    }

    /** As {@link #allocate(long, boolean, ElementType, Shape)}, for a size and an alignment that were checked; for no tensor. */
    public final long allocateAligned(long byteSize, long alignment, boolean orNull) {
        return allocateAligned(byteSize, alignment, orNull, null, null);
    }

    /** As {@link #allocate(long, boolean, ElementType, Shape)}, for a size and an alignment that were checked. */
    public final long allocateAligned(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        return AllocateEvent.isOn() ? takeRecorded(byteSize, alignment, orNull, type, shape)
                : take(byteSize, alignment, orNull, type, shape);
    }

    private long takeRecorded(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        long address = take(byteSize, alignment, orNull, type, shape);
        if (address != 0) {
            AllocateEvent.record(address, byteSize);
        }
        return address;
    }

    /**
     * How blocks get an alignment:
     *
     * <pre>
     *   up to 64       every block has it
     *   up to 4,096    the size is rounded up to a multiple of it: every run begins on a page, and the slots of sizes that are
     *                  such multiples have a size that is one too (both are steps of powers of two), as have large blocks
     *   more           a run of its own, cut where a multiple is
     * </pre>
     */
    private long takeAligned(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        long rounded = alignedByteSize(byteSize, alignment);
        long address = alignment <= SizeClasses.PAGE_BYTE_SIZE ? take(rounded)
                : takeAligned(rounded, alignment);
        return address != 0 ? address : takeSlowly(rounded, alignment, orNull, type, shape);
    }

    private static long alignedByteSize(long byteSize, long alignment) {
        long multiple = Math.min(alignment, SizeClasses.PAGE_BYTE_SIZE);
        return byteSize > Long.MAX_VALUE - multiple ? Long.MAX_VALUE
                : SizeClasses.ceil(Math.max(byteSize, 1), multiple);
    }

    /**
     * Bytes that an unaligned block would have which needs as much room as this one in any order of allocations: of the pages in front of
     * a run that is cut where a multiple is, nobody knows beforehand how many another block can use.
     */
    public static long plannedBlockByteSize(long byteSize, long alignment) {
        return withSpare(alignedByteSize(byteSize, alignment), alignment);
    }

    private static long withSpare(long byteSize, long alignment) {
        long spare = Math.max(0, alignment - SizeClasses.PAGE_BYTE_SIZE);
        return byteSize > Long.MAX_VALUE - spare ? Long.MAX_VALUE : byteSize + spare;
    }

    private long takeSlowly(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        if (orNull && isInVain(byteSize, alignment) && !giveWay()) {
            return 0;
        }
        long wanted = withSpare(byteSize, alignment);
        long address = takeExclusively(byteSize, alignment);
        if (address != 0) {
            return address;
        }
        OutOfArenaMemoryException refusal = null;
        growth.lock();
        try {
            // Another thread may have freed or grown meanwhile; and may take what is added below before this one does.
            while ((address = takeExclusively(byteSize, alignment)) == 0) {
                if (refusal == null && growth.makeRoomFor(wanted)) {
                    refusal = growth.growFor(wanted);
                } else if (!giveWay()) {
                    return refuse(byteSize, orNull, type, shape, refusal);
                }
            }
            return address;
        } finally {
            growth.unlock();
        }
    }

    /** For sure. */
    private boolean isInVain(long byteSize, long alignment) {
        return isRefused(byteSize, alignment) && !OutOfMemoryEvent.isOn()
                && !growth.mayGrowFor(withSpare(byteSize, alignment));
    }

    private long refuse(long byteSize, boolean orNull, ElementType type, Shape shape,
            OutOfArenaMemoryException refusal) {
        if (orNull && !OutOfMemoryEvent.isOn()) {
            return 0;
        }
        ArenaStatistics now = statistics();
        OutOfMemoryEvent.record(byteSize, now, growth.byteSizeMax(), refusal);
        if (orNull) {
            return 0;
        }
        String reason = refusal == null ? "; free tensors or give the arena a larger byteSizeMax"
                : "; a further slab was refused: " + refusal.getMessage();
        throw new OutOfArenaMemoryException("out of arena memory for "
                + (shape == null ? "a block" : type + "" + shape)
                + " byteSize=" + byteSize + ": freeByteSize=" + now.freeByteSize() + " largestFreeRunByteSize="
                + now.largestFreeRunByteSize() + " slabByteSize=" + now.slabByteSize() + " byteSizeMax="
                + growth.byteSizeMax() + " liveCount=" + now.liveCount() + unreleased() + reason, refusal);
    }

    private String unreleased() {
        long byteSize = growth.unreleasedByteSize();
        return byteSize == 0 ? "" : " unreleasedByteSize=" + byteSize + " of slabs that the source did not take back";
    }

    /** Whether a block of so many bytes could be there if all others were freed, as far as the budget goes. */
    public final boolean mayEverHold(long byteSize) {
        return SizeClasses.pagesOf(byteSize) <= growth.byteSizeMax() / SizeClasses.PAGE_BYTE_SIZE;
    }

    // ---- the way back ----

    /**
     * Frees a block, from any thread.
     *
     * @throws IllegalArgumentException if no block of this arena begins there
     * @throws IllegalStateException if it is free already
     */
    public final void free(long address) {
        if (FreeEvent.isOn()) {
            freeRecorded(address);
        } else {
            storageOf(address).release(address);
        }
    }

    private void freeRecorded(long address) {
        FreeEvent.record(storageOf(address)::release, address);
    }

    // ---- what one that looks for mistakes does otherwise ----

    protected long take(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        if (alignment > SizeClasses.ALIGNMENT) {
            return takeAligned(byteSize, alignment, orNull, type, shape);
        }
        if (orNull && isLikelyRefused(byteSize) && isInVain(byteSize, alignment) && !giveWay()) {
            return 0;
        }
        long address = take(byteSize);
        return address != 0 ? address : takeSlowly(byteSize, alignment, orNull, type, shape);
    }

    /** Where the block at the address goes back to, which refuses if there is none. */
    public Storage storageOf(long address) {
        return this;
    }

    /** The storage of a new tensor at the address. */
    public Storage tensorAt(long address) {
        return storageOf(address);
    }

    /** Bytes that a block may grow to which was allocated with so many. */
    public long usableByteSize(long byteSize) {
        return SizeClasses.usableByteSize(byteSize);
    }

    /** Of how many allocations one has its site; 0 if none has. */
    public int siteInterval() {
        return 0;
    }

    /** The live blocks that have a site, the most bytes first. */
    public List<SiteUsage> liveBySite() {
        return List.of();
    }

    /** Called before a request is refused: whether something was given back meanwhile, so that another attempt is worth while. */
    protected boolean giveWay() {
        return false;
    }

    /** Gives all slabs back. Idempotent. @throws IllegalStateException while a block is live, or if the source does not take one back */
    public void close() {
        growth.close();
    }

    // ---- the end of all that is live ----

    @Override
    public final boolean isOpen() {
        return !isEnding;
    }

    /** Also for segments of lifetimes: nothing is freed by force while something is pinned. */
    @Override
    public final boolean tryPin() {
        pins.add();
        // In this order: this thread sees that all is about to end, or who ends it sees the pin.
        if (isEnding) {
            pins.remove();
            return false;
        }
        return true;
    }

    @Override
    public final void unpinned() {
        pins.remove();
    }

    /** At least as many as there were at some moment during the call. */
    public final long pinCount() {
        return pins.get();
    }

    /** @throws IllegalStateException if the arena is about to be closed forcibly */
    public final void scopeOpened(Arena scope) {
        scopes.add(scope);
        if (isEnding) {
            scopes.remove(scope);
            throw new IllegalStateException("no scope of an arena that was closed forcibly");
        }
    }

    public final void scopeClosed(Arena scope) {
        scopes.remove(scope);
    }

    /**
     * Closes it, whatever is live, unless that is pinned: ends scopes and views, frees all blocks, gives the slabs back.
     *
     * @return what was live
     * @throws IllegalStateException while something is pinned, or a native call uses a segment of a scope or a view that should end; and if
     *             the source does not take a slab back, with what was live: closed nevertheless
     */
    public LiveReport closeForcibly() {
        synchronized (pins) {
            checkNotPinned();
            isEnding = true;
            try {
                checkNotPinned();
                scopes.forEach(ArenaBlocks::end);
                endViews();
                return freeAll();
            } finally {
                isEnding = wasClosedWithAll();
            }
        }
    }

    private LiveReport freeAll() {
        List<SiteUsage> sites = liveBySite();
        growth.lock();
        try {
            Ending ending = closeWithAll();
            LiveReport report = new LiveReport(ending.liveCount(), ending.liveByteSize(), siteInterval(), sites);
            try {
                growth.releaseAll(ending.slabs());
            } catch (IllegalStateException e) {
                throw new IllegalStateException(e.getMessage() + "; closed forcibly with " + report, e);
            }
            return report;
        } finally {
            growth.unlock();
        }
    }

    private void checkNotPinned() {
        long count = pins.get();
        if (count != 0) {
            throw new IllegalStateException("forced close of an arena with pinned memory: pins=" + count
                    + "; transfers, views and segments of lifetimes hold it: end them first, or give a deadline");
        }
    }

    private static void end(Arena scope) {
        try {
            scope.close();
        } catch (IllegalStateException e) {
            // Its owner may have closed it at the same time.
            if (scope.scope().isAlive()) {
                throw e;
            }
        }
    }

    /** Ends views of live blocks that would outlive their slab. @throws IllegalStateException if a native call uses one */
    protected void endViews() {}

    /** What is live at one moment, and what is known of where it was allocated at about the same. */
    public final LiveReport liveReport() {
        ArenaStatistics now = statistics();
        return new LiveReport(now.liveCount(), now.liveByteSize(), siteInterval(), liveBySite());
    }

    // ---- slabs ----

    /**
     * Gives the slabs on which nothing is live back, but the first of an arena that was created with one.
     *
     * @return their bytes
     * @throws IllegalStateException if the source does not take one back
     */
    public final long trim() {
        return growth.trim();
    }

    @Override
    public final String toString() {
        return "slabByteSize=" + slabByteSize() + " byteSizeMax=" + growth.byteSizeMax();
    }
}
