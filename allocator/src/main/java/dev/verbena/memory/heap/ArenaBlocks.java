package dev.verbena.memory.heap;

import java.util.List;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabMap;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.events.AllocateEvent;
import dev.verbena.memory.events.ArenaEvents;
import dev.verbena.memory.events.FreeEvent;
import dev.verbena.memory.events.OutOfMemoryEvent;

/**
 * An arena by the addresses of its blocks: all that it does but making tensors of them.
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
public class ArenaBlocks {
    static {
        ArenaEvents.offer();
    }

    private final ArenaHeap heap;
    private final ArenaGrowth growth;
    private final AlignedBlocks aligned = new AlignedBlocks();

    public ArenaBlocks(SlabSource source, long byteSize, long byteSizeMax, PageRuns pages) {
        heap = new ArenaHeap(pages);
        growth = new ArenaGrowth(heap, source, byteSize, byteSizeMax);
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
        AlignedBlocks.check(alignment);
    }

    // ---- allocation ----

    /**
     * The address of a block of so many bytes, 0 or more; 0 if there is none and {@code orNull}.
     *
     * @param type of the tensor that it is for, to be named in messages; null if it is for none; as {@code shape}
     * @throws OutOfArenaMemoryException if there is none otherwise
     * @throws IllegalStateException if the arena is closed
     */
    public final long allocate(long byteSize, boolean orNull, ElementType type, Shape shape) {
        return AllocateEvent.isOn() ? takeRecorded(byteSize, orNull, type, shape) : take(byteSize, orNull, type, shape);
    }

    /** As {@link #allocate(long, boolean, ElementType, Shape)}, for a size and an alignment that were checked. */
    public final long allocateAligned(long byteSize, long alignment, boolean orNull) {
        long block = allocate(AlignedBlocks.blockByteSize(byteSize, alignment, alignmentOfBlocks()), orNull, null,
                null);
        return block == 0 ? 0 : aligned.partOf(block, alignment);
    }

    private long takeRecorded(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = take(byteSize, orNull, type, shape);
        if (address != 0) {
            AllocateEvent.record(address, byteSize);
        }
        return address;
    }

    private long takeSlowly(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = heap.takeExclusively(byteSize);
        if (address != 0) {
            return address;
        }
        OutOfArenaMemoryException refusal = null;
        growth.lock();
        try {
            // Another thread may have freed or grown meanwhile; and may take what is added below before this one does.
            while ((address = heap.takeExclusively(byteSize)) == 0) {
                if (refusal == null && growth.isWithinBudget(byteSize)) {
                    refusal = growth.growFor(byteSize);
                } else if (!giveWay()) {
                    return refuse(byteSize, orNull, type, shape, refusal);
                }
            }
            return address;
        } finally {
            growth.unlock();
        }
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
                + growth.byteSizeMax() + " liveCount=" + now.liveCount() + reason, refusal);
    }

    // ---- the way back ----

    /**
     * Frees a block, or the aligned part of one, from any thread.
     *
     * @throws IllegalArgumentException if no block of this arena begins there
     * @throws IllegalStateException if it is free already
     */
    public final void free(long address) {
        try {
            release(address);
        } catch (IllegalArgumentException noBlock) {
            // Asked last, so that blocks that are no part of a larger one pay nothing for those that are.
            Long block = aligned.forget(address);
            if (block == null) {
                throw noBlock;
            }
            release(block);
        }
    }

    private void release(long address) {
        if (FreeEvent.isOn()) {
            FreeEvent.record(storageOf(address)::release, address);
        } else {
            storageOf(address).release(address);
        }
    }

    /** Of a block or a tensor in it. */
    public final Slab slabAt(long address) {
        return heap.slabAt(address);
    }

    // ---- what one that looks for mistakes does otherwise ----

    protected long take(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long address = heap.take(byteSize);
        return address != 0 ? address : takeSlowly(byteSize, orNull, type, shape);
    }

    /** Where the block at the address goes back to, which refuses if there is none. */
    public Storage storageOf(long address) {
        return heap;
    }

    /** Whether a tensor with that storage is from here. */
    public boolean owns(Storage storage) {
        return storage == heap;
    }

    /** What a block of whole multiples of it, a power of two, is aligned to. */
    protected long alignmentOfBlocks() {
        return SizeClasses.PAGE_BYTE_SIZE;
    }

    /** Bytes that a block may grow to which was allocated with so many. */
    public long usableByteSize(long byteSize) {
        return SizeClasses.usableByteSize(byteSize);
    }

    /** Whether the block has so many bytes now, where it is. */
    public boolean resize(long address, long byteSize) {
        return heap.resize(address, byteSize);
    }

    /** Called before a request is refused: whether something was given back meanwhile, so that another attempt is worth while. */
    protected boolean giveWay() {
        return false;
    }

    public ArenaStatistics statistics() {
        return heap.statistics();
    }

    public boolean isConsistent() {
        return heap.isConsistent();
    }

    /** Gives all slabs back. Idempotent. @throws IllegalStateException while a block is live */
    public void close() {
        growth.close();
    }

    // ---- figures and slabs ----

    public final ArenaStatistics recentStatistics() {
        return heap.recentStatistics();
    }

    public final List<SlabMap> map() {
        return heap.map();
    }

    /** How many threads have a heap of their own in it. For checks. */
    public final int ownHeapCount() {
        return heap.ownHeapCount();
    }

    /** Gives the slabs on which nothing is live back, but the first of an arena that was created with one. @return their bytes */
    public final long trim() {
        return growth.trim();
    }

    @Override
    public final String toString() {
        return "slabByteSize=" + heap.slabByteSize() + " byteSizeMax=" + growth.byteSizeMax();
    }
}
