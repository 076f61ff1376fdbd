package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.SegmentAllocator;
import java.time.Duration;
import java.util.List;

import dev.verbena.memory.debug.SampledBlocks;
import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.PageRuns;
import dev.verbena.memory.heap.RegionPlan;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.heap.ViewedBlocks;
import dev.verbena.memory.scope.LifetimeAllocator;

/**
 * Carves tensors out of large slabs, which it takes from a {@link SlabSource} and gives back when it is closed.
 *
 * <p>What the arena knows of its slabs lies outside of them, in memory that no device knows: a remote write into a slab
 * can damage a tensor, never the arena. A block goes back to the arena that it is from, whichever thread closes the tensor; that it is free again happens before it is handed out
 * again.
 *
 * <p>{@link DebugArena} is the one that looks for mistakes of its users, and there is no other.
 *
 * <p><b>Owner:</b> whoever created it; closes it before the source, and after every tensor. <b>Threading:</b> thread-safe.
 */
public class TensorArena implements AutoCloseable {
    private static final long SCOPE_BLOCK_BYTE_SIZE = 1024 * 1024;

    private final ArenaBlocks blocks;

    TensorArena(ArenaBlocks blocks) {
        this.blocks = blocks;
    }

    /**
     * An arena whose first slab has {@code byteSize} bytes, rounded up to whole pages, and which grows by further slabs until all
     * together have {@code byteSizeMax}. With {@code byteSize} 0 the first slab comes with the first tensor.
     *
     * @throws IllegalArgumentException unless {@code 0 <= byteSize <= byteSizeMax}
     * @throws OutOfArenaMemoryException if the source has no such slab
     * @throws IllegalCallerException if Java refuses native calls; the message says what to start it with
     */
    public static TensorArena create(SlabSource source, long byteSize, long byteSizeMax) {
        return create(source, byteSize, byteSizeMax, ArenaOptions.defaults());
    }

    /** As {@link #create(SlabSource, long, long)}, with options. */
    public static TensorArena create(SlabSource source, long byteSize, long byteSizeMax, ArenaOptions options) {
        return new TensorArena(options.siteInterval() > 0
                ? new SampledBlocks(source, byteSize, byteSizeMax, options, callers())
                : options.viewsEndWithTensors() ? new ViewedBlocks(source, byteSize, byteSizeMax)
                        : new ArenaBlocks(source, byteSize, byteSizeMax, new PageRuns()));
    }

    /** What users call, which no site begins in. */
    static Class<?>[] callers() {
        return new Class<?>[]{TensorArena.class, Tensor.class, PinState.class, TensorLease.class, TensorView.class,
                IterationScope.class, Deadline.class};
    }

    /**
     * Bytes that a tensor of {@code byteSize} takes in an arena, rounding included; for planning regions. An arena whose first slab
     * has the sum of these over a set of tensors, and {@link #overheadByteSize} more, holds them all at once, allocated in any order,
     * if nothing is freed in between. Of tensors with options, give what {@link TensorOptions#blockByteSize} says.
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
     * of their {@link #reservedByteSize} and {@link #overheadByteSize}, for a few small tensors much less. Of tensors with options, give
     * what {@link TensorOptions#blockByteSize} says.
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
        long address = blocks.allocate(shape.byteSize(type), false, type, shape);
        return new Tensor(blocks.tensorAt(address), address, type, shape);
    }

    /** As {@link #allocate} but null when there is no memory. */
    public final Tensor tryAllocate(ElementType type, Shape shape) {
        long address = blocks.allocate(shape.byteSize(type), true, type, shape);
        return address == 0 ? null : new Tensor(blocks.tensorAt(address), address, type, shape);
    }

    /**
     * As {@link #allocate(ElementType, Shape)}, with options.
     *
     * @throws OutOfArenaMemoryException as that
     * @throws IllegalStateException as that
     */
    public final Tensor allocate(ElementType type, Shape shape, TensorOptions options) {
        return allocate(type, shape, options, false);
    }

    /** As {@link #allocate(ElementType, Shape, TensorOptions)} but null when there is no memory. */
    public final Tensor tryAllocate(ElementType type, Shape shape, TensorOptions options) {
        return allocate(type, shape, options, true);
    }

    /**
     * As {@link #allocate(ElementType, Shape)}, but waits for memory that others free, up to the deadline. Asks again and again, at first
     * after 10 microseconds, later after 10 milliseconds; of several who wait, any may be the first. Does not wait for more than the budget.
     *
     * @throws OutOfArenaMemoryException if there is no memory at the deadline, with how long was waited
     * @throws IllegalStateException if the arena is closed
     */
    public final Tensor allocate(ElementType type, Shape shape, Duration deadline) throws InterruptedException {
        return allocate(type, shape, TensorOptions.defaults(), deadline);
    }

    /** As {@link #allocate(ElementType, Shape, Duration)}, with options. */
    public final Tensor allocate(ElementType type, Shape shape, TensorOptions options, Duration deadline)
            throws InterruptedException {
        boolean mayEverBe = blocks.mayEverHold(options.wholeByteSize(shape.byteSize(type)));
        return Deadline.awaitMemory(mayEverBe ? deadline : Duration.ZERO, () -> tryAllocate(type, shape, options),
                () -> allocate(type, shape, options));
    }

    /** As {@link #allocate(ElementType, Shape)}, all bytes 0. */
    public final Tensor allocateZeroed(ElementType type, Shape shape) {
        return allocate(type, shape, TensorOptions.defaults().withZeroed());
    }

    private Tensor allocate(ElementType type, Shape shape, TensorOptions options, boolean orNull) {
        long start = blocks.allocateAligned(options.wholeByteSize(shape.byteSize(type)), options.alignment(), orNull,
                type, shape);
        return start == 0 ? null : options.tensor(blocks.tensorAt(start), start, type, shape);
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
        ArenaBlocks.checkByteSize(byteSize);
        return blocks.allocate(byteSize, false, null, null);
    }

    /**
     * As {@link #allocateAddress(long)}, aligned to a power of two up to 2^30. Up to 4,096 that costs nothing but the rounding of the size;
     * beyond, the block has whole pages of its own.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative or the alignment another one
     */
    public final long allocateAddress(long byteSize, long alignment) {
        ArenaBlocks.checkBlock(byteSize, alignment);
        return blocks.allocateAligned(byteSize, alignment, false);
    }

    /**
     * Frees what {@link #allocateAddress} returned, from any thread. That it was used happens before it is handed out again.
     *
     * @throws IllegalArgumentException if no block of this arena begins there
     * @throws IllegalStateException if it is free already, whatever its size; not noticed once the block is handed out again
     */
    public final void freeAddress(long address) {
        blocks.free(address);
    }

    /**
     * Segments that are blocks of this arena, for code that takes an allocator: each goes back when {@code lifetime}, which gives the
     * segments their scope, is closed. To be closed before this arena. Contents undefined; one of 0 bytes has an address of its own too.
     */
    public final SegmentAllocator segmentAllocator(Arena lifetime) {
        return new LifetimeAllocator(blocks, lifetime);
    }

    /** For tensors and segments that are freed together, such as those of an iteration; takes 1 MiB at a time. */
    public final IterationScope scope() {
        return scope(SCOPE_BLOCK_BYTE_SIZE);
    }

    /**
     * As {@link #scope()}, taking so many bytes at a time, rounded up to whole pages; what is larger than an eighth of that may get a
     * block of its own.
     *
     * @throws IllegalArgumentException if {@code blockByteSize} is less than 1
     */
    public final IterationScope scope(long blockByteSize) {
        return new IterationScope(blocks, blockByteSize);
    }

    /**
     * Makes a block of {@link #allocateAddress} larger or smaller where it is. A smaller one gives back whole pages if it has some of its
     * own, that is beyond 64 KiB.
     *
     * @return false if it stays as it is, since what is behind it is in use, or its size class has no such size: allocate another one and
     *         copy
     * @throws IllegalArgumentException if {@code byteSize} is negative, or no block of this arena begins there
     */
    public final boolean resizeAddress(long address, long byteSize) {
        ArenaBlocks.checkByteSize(byteSize);
        return blocks.resize(address, byteSize);
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

    /**
     * The same storage under a shape of fewer or more elements, if its block has room for them, which a size class or the last page
     * left over. The first bytes are as they were, further ones undefined. The two are one tensor: closing either frees it.
     *
     * @return null if there is no room: then allocate another one, and copy
     * @throws IllegalArgumentException if the tensor is not of this arena
     * @throws IllegalStateException if it is closed
     */
    public final Tensor tryResize(Tensor tensor, Shape shape) {
        if (!owns(tensor)) {
            throw new IllegalArgumentException("resize of a foreign tensor: " + tensor + " is not of this arena");
        }
        long front = tensor.storage().frontByteSize();
        return tensor.resizedWithin(blocks.usableByteSize(front + tensor.allocatedByteSize()) - front, shape);
    }

    /**
     * Bytes that a block has which was asked for with {@code byteSize}: its size class, or whole pages. Whoever has grown into them gives
     * the block back like any other.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative or within a page of 2^63
     */
    public static long usableByteSize(long byteSize) {
        ArenaBlocks.checkByteSize(byteSize);
        return SizeClasses.usableByteSize(byteSize);
    }

    /**
     * The slab that an address of a live block, or within one, lies in; as {@link Tensor#slab()}, for who has blocks by address.
     *
     * @throws IllegalStateException if it lies in no slab of this arena, or the arena is closed
     */
    public final Slab slabAt(long address) {
        return blocks.slabAt(address);
    }

    /** Whether the tensor, free or not, was allocated here. */
    public final boolean owns(Tensor tensor) {
        return tensor.storage().arena() == blocks;
    }

    /**
     * Figures of one moment, at which every thread is kept out of the arena. What threads have idle is taken from them, so that the
     * free runs are as long as they can be.
     */
    public final ArenaStatistics statistics() {
        return blocks.statistics();
    }

    /**
     * Figures each of some recent moment, not all of the same; threads go on meanwhile. What a thread has freed that another had allocated
     * is live until that one takes it back.
     */
    public final ArenaStatistics recentStatistics() {
        return blocks.recentStatistics();
    }

    /**
     * What is live at one moment, at which every thread is kept out, and where it was allocated: all in a {@link DebugArena}, a sample where
     * {@link ArenaOptions#siteInterval} says so, nothing otherwise.
     */
    public final LiveReport liveReport() {
        return blocks.liveReport();
    }

    /** What every page of each slab is used for at one moment, at which every thread is kept out of the arena; the slabs by address. */
    public final List<SlabMap> map() {
        return blocks.map();
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
    public final boolean isConsistent() {
        return blocks.isConsistent();
    }

    /**
     * Gives the slabs on which nothing is live back to the source, but the first, if the arena was created with one; and takes back what
     * threads have idle, so that what is free lies together.
     *
     * @return bytes of these slabs
     * @throws IllegalStateException if the source does not take one back, such as while a native call uses a view of it: it is not used any
     *             more, counts against the budget, and is offered again by the next call, or when memory is short
     */
    public final long trim() {
        return blocks.trim();
    }

    /**
     * Gives all slabs back to the source. Idempotent.
     *
     * @throws IllegalStateException while tensors are live or pinned, naming how many, and where they were allocated as far as
     *             {@link #liveReport} would; nothing is released then; and if the source does not
     *             take a slab back: the arena is closed nevertheless, and closing it again offers the slab again
     */
    @Override
    public final void close() {
        blocks.close();
    }

    /**
     * As {@link #close()}, but waits until all tensors are closed and unpinned, such as those that transfers still use, up to the
     * deadline.
     *
     * @throws IllegalStateException if some are live or pinned at the deadline, naming how many
     */
    public final void close(Duration deadline) throws InterruptedException {
        Deadline.await(deadline, () -> statistics().liveCount() == 0);
        close();
    }

    /**
     * Closes it with what is live, which leaked: scopes and views that end with their tensors end, all blocks are freed, the slabs go back.
     * From then on each use of such a tensor throws, as does its close. What is pinned stays, and with it the arena, so that no transfer
     * writes into memory of others. Blocks by address are freed like all others: whoever still uses one uses memory that is not there.
     *
     * @return what was live, and where it was allocated as far as {@link #liveReport} would know; nothing if it is closed already
     * @throws IllegalStateException while something is pinned, by a lease, a view, or as a segment of {@link #segmentAllocator}, or a native
     *             call uses a segment that would end; the arena stays open then, though scopes and views may have ended, and who uses a
     *             tensor during the call may have been refused; and if the source does not take a slab back, as {@link #close()}
     * @throws DamagedMemoryException if this is a {@link DebugArena} and somebody wrote into a block after its free; called again, it closes
     */
    public final LiveReport closeForcibly() {
        return blocks.closeForcibly();
    }

    /**
     * As {@link #closeForcibly()}, but waits until nothing is pinned, up to the deadline.
     *
     * @throws IllegalStateException if something is pinned at the deadline
     */
    public final LiveReport closeForcibly(Duration deadline) throws InterruptedException {
        Deadline.await(deadline, () -> blocks.pinCount() == 0);
        return closeForcibly();
    }

    /** For checks. */
    final ArenaBlocks blocks() {
        return blocks;
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + " " + blocks;
    }
}
