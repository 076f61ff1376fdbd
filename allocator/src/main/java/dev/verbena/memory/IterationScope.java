package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.time.Duration;
import java.util.concurrent.locks.ReentrantLock;

import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.scope.Iteration;
import dev.verbena.memory.scope.ScopeBlock;
import dev.verbena.memory.scope.ScopeBlocks;
import dev.verbena.memory.scope.ScopeMemory;

/**
 * Tensors and segments that one iteration needs and that are freed together, whatever their number, by {@link #reset} or
 * {@link #close}. To allocate is to move a pointer through a block of the arena; to free is to close one lifetime and give back
 * the blocks, or to keep them: an iteration that needs what the one before needed calls the arena not once.
 *
 * <pre>
 *   small    the block that all threads share ──full──► a further one of blockByteSize
 *   large    ──────────────────────────────────────────► a block of its own
 * </pre>
 *
 * <p>To the arena, a scope is as many live blocks as it holds.
 *
 * <p>A tensor of a scope has the whole life cycle. It may be closed early; its bytes stay until the end of the iteration. One that is
 * pinned puts that end off: {@link #reset()} and {@link #close()} refuse then, and with a deadline they wait. After the end, each use of a
 * tensor throws, and so does each access to a segment, by the JDK's own check, also of those that {@link Tensor#memory()} gave.
 *
 * <p>What knows of the blocks lies in the Java heap. Contents are undefined, neither zeroed nor kept from iteration to iteration.
 *
 * <p>It is an {@link Arena} for code that wants one, whose {@link #scope} is the iteration's: what is tied to it ends with {@link #reset},
 * upcall stubs and mapped files, too. Unlike those that the JDK makes, it does not zero what it gives out.
 *
 * <p><b>Owner:</b> whoever called {@link TensorArena#scope()}; closes it before the arena. <b>Threading:</b> thread-safe. Who allocates while
 * another thread ends the iteration gets something of the old one, which is dead, or of the new one.
 */
public final class IterationScope implements Arena {
    /** What has at least that part of a block gets one of its own, so that no more than that is left unused at a block's end. */
    private static final long OWN_BLOCK_SHARE = 8;

    private final ArenaBlocks arena;
    private final long blockByteSize;
    /** Held while blocks are taken and given back; before every lock of the arena. */
    private final ReentrantLock lock = new ReentrantLock();
    /** Guarded by {@code lock}. */
    private final ScopeBlocks blocks;
    /** Null if closed; written under {@code lock}. */
    private volatile Iteration iteration;
    /** Of the last iteration; set before {@code iteration} is null. */
    private MemorySegment.Scope ended;

    IterationScope(ArenaBlocks arena, long blockByteSize) {
        if (blockByteSize < 1) {
            throw new IllegalArgumentException("blockByteSize=" + blockByteSize + " of a scope must be at least 1");
        }
        this.arena = arena;
        this.blockByteSize = SizeClasses.ceilToPage(blockByteSize);
        blocks = new ScopeBlocks(arena);
        iteration = new Iteration(arena);
        arena.scopeOpened(this);
    }

    /**
     * A tensor whose first byte is 64-byte aligned; contents undefined. One without elements has an address of its own too. Closing
     * it is not necessary.
     *
     * @throws OutOfArenaMemoryException if the arena has no memory for it
     * @throws IllegalStateException if the scope or its arena is closed
     */
    public Tensor allocate(ElementType type, Shape shape) {
        return allocate(type, shape, TensorOptions.defaults(), false);
    }

    /**
     * As {@link #allocate(ElementType, Shape)}, with options.
     *
     * @throws OutOfArenaMemoryException as that
     * @throws IllegalStateException as that
     */
    public Tensor allocate(ElementType type, Shape shape, TensorOptions options) {
        return allocate(type, shape, options, false);
    }

    /** As {@link #allocate(ElementType, Shape)} but null when there is no memory. */
    public Tensor tryAllocate(ElementType type, Shape shape) {
        return allocate(type, shape, TensorOptions.defaults(), true);
    }

    /** As {@link #allocate(ElementType, Shape, TensorOptions)} but null when there is no memory. */
    public Tensor tryAllocate(ElementType type, Shape shape, TensorOptions options) {
        return allocate(type, shape, options, true);
    }

    /**
     * As {@link #allocate(ElementType, Shape)}, but waits for memory that others free, up to the deadline. Asks again and again, at first
     * after 10 microseconds, later after 10 milliseconds; of several who wait, any may be the first. Does not wait for more than the budget.
     *
     * @throws OutOfArenaMemoryException if there is no memory at the deadline, with how long was waited
     * @throws IllegalStateException if the scope or its arena is closed
     */
    public Tensor allocate(ElementType type, Shape shape, Duration deadline) throws InterruptedException {
        return allocate(type, shape, TensorOptions.defaults(), deadline);
    }

    /** As {@link #allocate(ElementType, Shape, Duration)}, with options. */
    public Tensor allocate(ElementType type, Shape shape, TensorOptions options, Duration deadline)
            throws InterruptedException {
        boolean mayEverBe = arena.mayEverHold(options.wholeByteSize(shape.byteSize(type)));
        return Deadline.awaitMemory(mayEverBe ? deadline : Duration.ZERO, () -> tryAllocate(type, shape, options),
                () -> allocate(type, shape, options));
    }

    /** As {@link #allocate(ElementType, Shape)}, all bytes 0. */
    public Tensor allocateZeroed(ElementType type, Shape shape) {
        return allocate(type, shape, TensorOptions.defaults().withZeroed(), false);
    }

    /**
     * A segment that dies with the iteration; contents undefined. One of 0 bytes has an address of its own too.
     *
     * @throws IllegalArgumentException if {@code byteSize} is negative, or {@code byteAlignment} no power of two up to 2^30
     * @throws OutOfArenaMemoryException if the arena has no memory for it
     * @throws IllegalStateException if the scope or its arena is closed
     */
    @Override
    public MemorySegment allocate(long byteSize, long byteAlignment) {
        return allocate(byteSize, byteAlignment, false);
    }

    /** As {@link #allocate(long, long)} but null when there is no memory. */
    public MemorySegment tryAllocate(long byteSize, long byteAlignment) {
        return allocate(byteSize, byteAlignment, true);
    }

    /** Of the present iteration, to be asked for anew after {@link #reset}; of the last one if it is closed. */
    @Override
    public MemorySegment.Scope scope() {
        Iteration now = iteration;
        return now == null ? ended : now.scope();
    }

    /**
     * Frees everything that was allocated from it, and begins the next iteration: another {@link #scope}.
     *
     * @throws IllegalStateException while a tensor of it is pinned, or a native call uses a segment of it, or if it is closed; nothing is
     *             freed then
     * @throws DamagedMemoryException if the arena is a {@link DebugArena} and somebody wrote around a block that goes back; done nevertheless
     * @throws RuntimeException what a cleanup throws that its user has tied to the {@link #scope}; done nevertheless
     */
    public void reset() {
        refuse("reset", tryEnd(false));
    }

    /**
     * As {@link #reset()}, but waits for what is in its way, up to the deadline.
     *
     * @throws IllegalStateException if it is in its way still
     */
    public void reset(Duration deadline) throws InterruptedException {
        if (!Deadline.await(deadline, () -> tryEnd(false) == null)) {
            reset();
        }
    }

    /**
     * Frees everything that was allocated from it and gives all blocks back to the arena.
     *
     * @throws IllegalStateException while a tensor of it is pinned, or a native call uses a segment of it; nothing is freed then; and if it
     *             is closed already, as every {@link Arena} does
     * @throws DamagedMemoryException as {@link #reset()} does; and what a cleanup throws
     */
    @Override
    public void close() {
        refuse("close", tryEnd(true));
    }

    /**
     * As {@link #close()}, but waits for what is in its way, up to the deadline.
     *
     * @throws IllegalStateException if it is in its way still, or if it is closed already
     */
    public void close(Duration deadline) throws InterruptedException {
        if (!Deadline.await(deadline, () -> tryEnd(true) == null)) {
            close();
        }
    }

    /** Bytes of the arena's blocks that it holds, whether used in this iteration or kept from the one before. */
    public long heldByteSize() {
        lock.lock();
        try {
            return blocks.heldByteSize();
        } finally {
            lock.unlock();
        }
    }

    // ---- memory ----

    private Tensor allocate(ElementType type, Shape shape, TensorOptions options, boolean orNull) {
        long byteSize = options.wholeByteSize(shape.byteSize(type));
        long alignment = Math.max(options.alignment(), SizeClasses.ALIGNMENT);
        ScopeMemory memory = shared();
        long start = take(memory, byteSize, alignment);
        while (start == 0) {
            memory = further(memory, byteSize, alignment, orNull);
            if (memory == null) {
                return null;
            }
            start = take(memory, byteSize, alignment);
        }
        return options.tensor(memory, start, type, shape);
    }

    private MemorySegment allocate(long byteSize, long alignment, boolean orNull) {
        ArenaBlocks.checkBlock(byteSize, alignment);
        ScopeMemory memory = shared();
        long address = take(memory, byteSize, alignment);
        while (address == 0) {
            memory = further(memory, byteSize, alignment, orNull);
            if (memory == null) {
                return null;
            }
            address = take(memory, byteSize, alignment);
        }
        return memory.memoryAt(address, byteSize);
    }

    private static long take(ScopeMemory memory, long byteSize, long alignment) {
        return memory == null ? 0 : memory.take(byteSize, alignment);
    }

    /** Null at the beginning of an iteration. */
    private ScopeMemory shared() {
        return open().shared();
    }

    private Iteration open() {
        Iteration now = iteration;
        if (now == null) {
            throw new IllegalStateException("use of a closed scope: it ended with close(); for a next iteration call"
                    + " reset() instead, or arena.scope()");
        }
        return now;
    }

    /** Where to look next for a request that {@code full} had no room for; null if there is no memory and {@code orNull}. */
    private ScopeMemory further(ScopeMemory full, long byteSize, long alignment, boolean orNull) {
        lock.lock();
        try {
            Iteration now = open();
            if (Math.max(byteSize, alignment) > blockByteSize / OWN_BLOCK_SHARE) {
                return own(now, byteSize, alignment, orNull);
            }
            if (now.shared() != full && now.shared() != null) {
                return now.shared();
            }
            ScopeBlock block = blocks.take(blockByteSize, SizeClasses.ALIGNMENT, true);
            if (block == null) {
                return own(now, byteSize, alignment, orNull);
            }
            now.share(new ScopeMemory(now, block));
            return now.shared();
        } finally {
            lock.unlock();
        }
    }

    /** For the one request alone: a large one, or the last bytes of an arena. */
    private ScopeMemory own(Iteration now, long byteSize, long alignment, boolean orNull) {
        ScopeBlock block = blocks.take(Math.max(byteSize, 1), alignment, orNull);
        return block == null ? null : new ScopeMemory(now, block);
    }

    // ---- ends ----

    /** Returns what is in the way of the iteration's end, or null when it has come. */
    private String tryEnd(boolean forGood) {
        lock.lock();
        try {
            Iteration now = open();
            try {
                return now.tryEnd();
            } finally {
                if (now.isEnded()) {
                    ended = now.scope();
                    iteration = forGood ? null : new Iteration(arena);
                    if (forGood) {
                        arena.scopeClosed(this);
                    }
                    blocks.rewind(forGood);
                }
            }
        } finally {
            lock.unlock();
        }
    }

    private static void refuse(String what, String obstacle) {
        if (obstacle != null) {
            throw new IllegalStateException(what + " of a scope that is in use: " + obstacle);
        }
    }

    @Override
    public String toString() {
        return "IterationScope heldByteSize=" + heldByteSize() + " blockByteSize=" + blockByteSize
                + (iteration == null ? ", closed" : "");
    }
}
