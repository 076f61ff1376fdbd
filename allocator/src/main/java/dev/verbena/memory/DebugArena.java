package dev.verbena.memory;

import java.util.List;
import java.util.stream.Collectors;

import dev.verbena.memory.heap.PageRuns;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.heap.Storage;

/**
 * An arena that looks for mistakes of its users; slow, and otherwise as any.
 *
 * <pre>
 *   mistake                                    caught
 *   write in front of or behind a tensor       when it is freed, and by {@link #check}
 *   write after free                           when the block leaves quarantine, and by {@link #check}
 *   read before anything was written           floating-point results are NaN
 *   use of a segment after its tensor's free   at once, by the JDK: IllegalStateException
 *   double free, use after free                at once; the message says where it was allocated and freed
 *   leak                                       at close; the message names each site, the most bytes first
 * </pre>
 *
 * <p>Guards and blocks in quarantine lie in the slabs and count against the budget, so a planned region is to be planned with
 * {@link DebugOptions#guardedByteSize}. Quarantine gives way before the arena is out of memory, and whenever {@link #statistics} are
 * asked for. Blocks by address have no segment that could die with them.
 *
 * <p><b>Owner:</b> whoever created it, as for any arena. <b>Threading:</b> thread-safe.
 */
public final class DebugArena extends TensorArena {
    private final DebugOptions options;
    private final DebugBlocks blocks;

    private DebugArena(SlabSource source, long byteSize, long byteSizeMax, DebugOptions options) {
        super(source, byteSize, byteSizeMax, new PageRuns());
        this.options = options;
        blocks = new DebugBlocks(heap, options);
    }

    /** As {@link TensorArena#create}, with the {@link DebugOptions#defaults}. */
    public static DebugArena create(SlabSource source, long byteSize, long byteSizeMax) {
        return create(source, byteSize, byteSizeMax, DebugOptions.defaults());
    }

    /** As {@link TensorArena#create}. */
    public static DebugArena create(SlabSource source, long byteSize, long byteSizeMax, DebugOptions options) {
        return new DebugArena(source, byteSize, byteSizeMax, options);
    }

    /**
     * Looks at the guards of all live blocks and at all bytes of those in quarantine; {@link #isConsistent} at the arena's own records, too.
     *
     * @throws DamagedMemoryException if somebody wrote there
     */
    public void check() {
        DamagedMemoryException.throwIfAny(blocks.damages());
    }

    /** What is live now, by where it was allocated, the most bytes first. */
    public List<SiteUsage> liveBySite() {
        return blocks.liveBySite();
    }

    @Override
    public boolean owns(Tensor tensor) {
        return tensor.storage() instanceof DebugBlock block && block.isOf(blocks);
    }

    /**
     * {@inheritDoc} Guards are among the live bytes.
     *
     * @throws DamagedMemoryException if somebody wrote into a block after its free
     */
    @Override
    public ArenaStatistics statistics() {
        DamagedMemoryException.throwIfAny(blocks.dismissAll());
        return super.statistics();
    }

    /** {@inheritDoc} And no guard and no block in quarantine is damaged. */
    @Override
    public boolean isConsistent() {
        return blocks.damages().isEmpty() && super.isConsistent();
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalStateException while tensors are live or pinned, naming where they were allocated; nothing is released then
     * @throws DamagedMemoryException if somebody wrote into a block after its free; the arena is closed nevertheless
     */
    @Override
    public void close() {
        List<String> damages = blocks.dismissAll();
        List<SiteUsage> leaks = blocks.liveBySite();
        if (!leaks.isEmpty()) {
            IllegalStateException refusal = new IllegalStateException(leakReport(leaks));
            if (!damages.isEmpty()) {
                refusal.addSuppressed(new DamagedMemoryException(damages));
            }
            throw refusal;
        }
        super.close();
        DamagedMemoryException.throwIfAny(damages);
    }

    @Override
    long take(long byteSize, boolean orNull, ElementType type, Shape shape) {
        long start;
        try {
            start = super.take(options.guardedByteSize(byteSize), orNull, type, shape);
        } catch (OutOfArenaMemoryException e) {
            throw new OutOfArenaMemoryException(e.getMessage() + "; in a debug arena, of which the guards take "
                    + 2 * options.guardByteSize() + " bytes of each block", e);
        }
        return start == 0 ? 0 : blocks.add(start, byteSize);
    }

    @Override
    Storage storageOf(long address) {
        return blocks.at(address);
    }

    /** Behind a guard. */
    @Override
    long alignmentOfBlocks() {
        return SizeClasses.ALIGNMENT;
    }

    /** The rest is guarded. */
    @Override
    long usableBytes(long byteSize) {
        return byteSize;
    }

    /** As if something were behind every block, which a guard is. */
    @Override
    boolean resize(long address, long byteSize) {
        return byteSize <= blocks.at(address).byteSize;
    }

    @Override
    boolean giveWay() {
        boolean gives = !blocks.isQuarantineEmpty();
        DamagedMemoryException.throwIfAny(blocks.dismissAll());
        return gives;
    }

    private static String leakReport(List<SiteUsage> leaks) {
        return "close of an arena with live or pinned tensors: liveCount="
                + leaks.stream().mapToLong(SiteUsage::liveCount).sum() + " liveByteSize="
                + leaks.stream().mapToLong(SiteUsage::liveByteSize).sum()
                + "; close and unpin them first. The most bytes first:\n"
                + leaks.stream().map(SiteUsage::toString).collect(Collectors.joining("\n"));
    }
}
