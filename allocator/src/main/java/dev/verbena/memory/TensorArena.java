package dev.verbena.memory;

import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Carves tensors out of large slabs, which it takes from a {@link SlabSource} and gives back when it is closed.
 *
 * <pre>
 *   small   run of the thread ──none──► returned by others ──none──► carve a run ──┐
 *   large   ─────────────────────────────────────────────────► best-fitting run ───┤
 *                                                                             none ▼
 *             out of memory ◄──budget── a further slab ◄──none── every thread kept out: what they have free
 * </pre>
 *
 * <p>What the arena knows of its slabs lies in the Java heap: a remote write into a slab can damage a tensor, never the arena. A block
 * goes back to the arena that it is from, whichever thread closes the tensor; that it is free again happens before it is handed out
 * again.
 *
 * <p>{@link DebugArena} is the one that looks for mistakes of its users. It overrides a few methods here; as long as a process has none,
 * the JIT calls these directly.
 *
 * <p><b>Owner:</b> whoever created it; closes it before the source, and after every tensor. <b>Threading:</b> thread-safe.
 */
public sealed class TensorArena implements AutoCloseable permits DebugArena {
    /** A further slab has at least that size, as far as the budget goes: a system call per small tensor would be slow. */
    private static final long GROWTH_BYTE_SIZE_MIN = 1024 * 1024;
    /** A further slab is at least that part of all slabs, so that their number grows with the logarithm of the size. */
    private static final long GROWTH_SHARE = 4;

    static {
        ArenaEvents.offer();
    }

    private final SlabSource source;
    private final long firstByteSize;
    private final long byteSizeMax;
    /** A debug arena has it, too. */
    final ArenaHeap heap;
    /** Held while a slab is being acquired, which may take long; before any other lock. */
    private final ReentrantLock growth = new ReentrantLock();

    TensorArena(SlabSource source, long byteSize, long byteSizeMax, PageRuns pages) {
        this.source = Objects.requireNonNull(source, "source");
        if (byteSize < 0 || byteSizeMax < byteSize) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " byteSizeMax=" + byteSizeMax
                    + ": sizes of an arena must be 0 <= byteSize <= byteSizeMax");
        }
        firstByteSize = SizeClasses.ceilToPage(byteSize);
        this.byteSizeMax = Math.max(byteSizeMax & -SizeClasses.PAGE_BYTE_SIZE, firstByteSize);
        heap = new ArenaHeap(pages);
        if (firstByteSize > 0) {
            addSlab(firstByteSize);
        }
    }

    /**
     * An arena whose first slab has {@code byteSize} bytes, rounded up to whole pages, and which grows by further slabs until all
     * together have {@code byteSizeMax}. With {@code byteSize} 0 the first slab comes with the first tensor.
     *
     * @throws IllegalArgumentException unless {@code 0 <= byteSize <= byteSizeMax}
     * @throws OutOfArenaMemoryException if the source has no such slab
     */
    public static TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
        return new TensorArena(source, byteSize, byteSizeMax, new PageRuns());
    }

    /**
     * Bytes that a tensor of {@code byteSize} takes in an arena, rounding included; for planning regions. An arena whose first slab
     * has the sum of these over a set of tensors, and {@link #overheadByteSize} more, holds them all at once, allocated in any order,
     * if nothing is freed in between.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative or within a page of 2^63
     */
    public static long reservedByteSize(long byteSize) {
        return RegionPlan.reservedByteSize(byteSize);
    }

    /** What to add once to a sum of {@link #reservedByteSize} that so many threads allocate; less than 1 MiB for each. */
    public static long overheadByteSize(int threads) {
        return RegionPlan.overheadByteSize(threads);
    }

    /**
     * Exactly what an arena needs to hold tensors of these sizes at once, whichever of so many threads allocates which: at most the sum
     * of their {@link #reservedByteSize} and {@link #overheadByteSize}, for a few small tensors much less.
     *
     * @throws IllegalArgumentException if a size is negative, there is no thread, or the result exceeds 2^63 - 1
     */
    public static long plannedByteSize(int threads, long... byteSizes) {
        return RegionPlan.plannedByteSize(threads, byteSizes);
    }

    /**
     * A tensor whose first byte is 64-byte aligned; contents undefined. One without elements has an address of its own too.
     *
     * @throws OutOfArenaMemoryException if there is no room for it within the budget, or the source refuses a further slab
     * @throws IllegalStateException if the arena is closed
     */
    public final Tensor allocate(ElementType type, Shape shape) {
        long address = allocateBlock(shape.byteSize(type), false, type, shape);
        return new Tensor(storageOf(address), address, type, shape);
    }

    /** As {@link #allocate} but null when there is no memory. */
    public final Tensor tryAllocate(ElementType type, Shape shape) {
        long address = allocateBlock(shape.byteSize(type), true, type, shape);
        return address == 0 ? null : new Tensor(storageOf(address), address, type, shape);
    }

    /**
     * A block without a tensor's life cycle: the address of its first byte, 64-byte aligned; contents undefined. Nothing is allocated in
     * the Java heap.
     *
     * @return never 0; to be given to {@link #freeAddress}
     * @throws IllegalArgumentException if {@code byteSize} is negative
     * @throws OutOfArenaMemoryException if there is no room for it within the budget, or the source refuses a further slab
     * @throws IllegalStateException if the arena is closed
     */
    public final long allocateAddress(long byteSize) {
        if (byteSize < 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a block is negative");
        }
        return allocateBlock(byteSize, false, null, null);
    }

    /**
     * Frees what {@link #allocateAddress} returned, from any thread. That it was used happens before it is handed out again.
     *
     * @throws IllegalArgumentException if no block of this arena begins there
     * @throws IllegalStateException if it is free already; not noticed once the block is handed out again
     */
    public final void freeAddress(long address) {
        if (FreeEvent.isOn()) {
            FreeEvent.release(storageOf(address), address);
        } else {
            storageOf(address).release(address);
        }
    }

    /**
     * Closes a tensor after making sure that it is of this arena.
     *
     * @throws IllegalArgumentException if it is of another one, or of none; nothing is freed then
     * @throws IllegalStateException if it is free already
     */
    public final void free(Tensor tensor) {
        if (!owns(tensor)) {
            throw new IllegalArgumentException("free of a foreign tensor: " + tensor + " is not of this arena");
        }
        tensor.close();
    }

    /** Whether the tensor, free or not, was allocated here. */
    public boolean owns(Tensor tensor) {
        return tensor.storage() == heap;
    }

    /**
     * Figures of one moment, at which every thread is kept out of the arena. What threads have idle is taken from them, so that the
     * free runs are as long as they can be.
     */
    public ArenaStatistics statistics() {
        return heap.statistics();
    }

    /**
     * Whether these hold, counted from the slabs upwards; for tests, at any time:
     *
     * <pre>
     *   slabByteSize  = Σ free runs + Σ large runs + Σ slot runs (slotCount × slotByteSize + rest)
     *   liveByteSize  = Σ large runs + Σ slot runs (live slots × slotByteSize)      over all, and for each heap
     *   liveCount     = number of large runs + Σ live slots = allocated - freed
     *   the runs of a slab tile it; no two free ones are neighbours; exactly the free ones are in the tree
     *   every used page, and no other, leads to its run
     *   a slot is live, or free, or returned; the runs with a free slot are in the bin of their class and heap
     * </pre>
     */
    public boolean isConsistent() {
        return heap.isConsistent();
    }

    /** How many threads have a heap of their own in it. For checks. */
    int ownHeapCount() {
        return heap.ownHeapCount();
    }

    /**
     * Gives all slabs back to the source. Idempotent.
     *
     * @throws IllegalStateException while tensors are live or pinned, naming how many; nothing is released then
     */
    @Override
    public void close() {
        growth.lock();
        try {
            releaseSlabs(heap.close());
        } finally {
            growth.unlock();
        }
    }

    // ---- what a debug arena does otherwise ----

    /** The address of a block; 0 if there is none and {@code orNull}. {@code type} and {@code shape}, for messages, may be null. */
    long take(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = heap.take(byteSize);
        return address != 0 ? address : allocateSlowly(byteSize, orNull, type, shape);
    }

    /** Where the block at the address goes back to, which refuses if there is none. */
    Storage storageOf(long address) {
        return heap;
    }

    /** Called before a request is refused: whether something was given back meanwhile, so that another attempt is worth while. */
    boolean giveWay() {
        return false;
    }

    // ---- allocation ----

    private long allocateBlock(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = take(byteSize, orNull, type, shape);
        if (AllocateEvent.isOn() && address != 0) {
            AllocateEvent.record(address, byteSize);
        }
        return address;
    }

    private long allocateSlowly(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = heap.takeExclusively(byteSize);
        return address != 0 ? address : allocateGrowing(byteSize, orNull, type, shape);
    }

    private long allocateGrowing(long byteSize, boolean orNull, ElementType type, Shape shape) {
        OutOfArenaMemoryException refusal = null;
        growth.lock();
        try {
            for (;;) {
                // Another thread may have freed or grown meanwhile; and may take what is added below before this one does.
                long address = heap.takeExclusively(byteSize);
                if (address != 0) {
                    return address;
                }
                if (refusal == null && neededByteSize(byteSize) > 0) {
                    refusal = grow(neededByteSize(byteSize));
                } else if (!giveWay()) {
                    return refuse(byteSize, orNull, type, shape, refusal);
                }
            }
        } finally {
            growth.unlock();
        }
    }

    private long refuse(long byteSize, boolean orNull, ElementType type, Shape shape,
            OutOfArenaMemoryException refusal) {
        if (OutOfMemoryEvent.isOn()) {
            OutOfMemoryEvent.record(byteSize, statistics(), byteSizeMax, refusal);
        }
        if (orNull) {
            return 0;
        }
        throw outOfMemory(byteSize, type, shape, refusal);
    }

    /** Bytes of a slab that would hold the tensor; 0 if the budget has not so many left. */
    private long neededByteSize(long byteSize) {
        long left = (byteSizeMax - heap.slabByteSize()) / SizeClasses.PAGE_BYTE_SIZE;
        long pages = SizeClasses.pagesOf(byteSize);
        if (SizeClasses.isSmall(byteSize)) {
            pages = Math.clamp(left, pages, SizeClasses.runPages(SizeClasses.indexOf(byteSize)));
        }
        return pages <= left ? pages * SizeClasses.PAGE_BYTE_SIZE : 0;
    }

    /** Adds a slab, a large one if it is to be had, else of the needed size; returns why not even that, or null. */
    private OutOfArenaMemoryException grow(long needed) {
        long held = heap.slabByteSize();
        long wanted = Math.max(Math.max(GROWTH_BYTE_SIZE_MIN, firstByteSize),
                held / GROWTH_SHARE & -SizeClasses.PAGE_BYTE_SIZE);
        long preferred = Math.max(needed, Math.min(wanted, byteSizeMax - held));
        try {
            addSlab(preferred);
            return null;
        } catch (OutOfArenaMemoryException e) {
            return preferred == needed ? e : growByLeast(needed);
        }
    }

    private OutOfArenaMemoryException growByLeast(long needed) {
        try {
            addSlab(needed);
            return null;
        } catch (OutOfArenaMemoryException e) {
            return e;
        }
    }

    private void addSlab(long byteSize) {
        Slab slab = SlabAcquiredEvent.acquire(source, byteSize);
        long got = slab.memory().byteSize();
        if (got < byteSize || !slab.memory().isNative() || slab.memory().address() % SizeClasses.PAGE_BYTE_SIZE != 0) {
            String found = slab.memory().toString();
            source.release(slab);
            throw new IllegalStateException("source=" + source + " must hand out native memory aligned to "
                    + SizeClasses.PAGE_BYTE_SIZE + " of at least byteSize=" + byteSize + " but gave " + found);
        }
        heap.add(slab, Math.min(got, byteSizeMax - heap.slabByteSize()) / SizeClasses.PAGE_BYTE_SIZE);
    }

    /** {@code type} and {@code shape} may be null. */
    private OutOfArenaMemoryException outOfMemory(long byteSize, ElementType type, Shape shape,
            OutOfArenaMemoryException refusal) {
        ArenaStatistics now = statistics();
        String reason = refusal == null ? "; free tensors or give the arena a larger byteSizeMax"
                : "; a further slab was refused: " + refusal.getMessage();
        return new OutOfArenaMemoryException("out of arena memory for "
                + (shape == null ? "a block" : type + "" + shape)
                + " byteSize=" + byteSize + ": freeByteSize=" + now.freeByteSize() + " largestFreeRunByteSize="
                + now.largestFreeRunByteSize() + " slabByteSize=" + now.slabByteSize() + " byteSizeMax=" + byteSizeMax
                + " liveCount=" + now.liveCount() + reason, refusal);
    }

    private void releaseSlabs(List<SlabPages> slabs) {
        RuntimeException first = null;
        for (SlabPages pages : slabs) {
            try {
                source.release(pages.slab);
            } catch (RuntimeException e) {
                if (first == null) {
                    first = e;
                } else if (e != first) {
                    first.addSuppressed(e);
                }
            }
        }
        if (first != null) {
            throw first;
        }
    }

    @Override
    public String toString() {
        return getClass().getSimpleName() + " slabByteSize=" + heap.slabByteSize() + " byteSizeMax=" + byteSizeMax;
    }
}
