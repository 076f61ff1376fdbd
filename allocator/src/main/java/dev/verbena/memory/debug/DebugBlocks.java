package dev.verbena.memory.debug;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.DamagedMemoryException;
import dev.verbena.memory.DebugOptions;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.LiveReport;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SiteUsage;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.heap.ArenaBlocks;
import dev.verbena.memory.heap.PageRuns;
import dev.verbena.memory.heap.SizeClasses;
import dev.verbena.memory.heap.Storage;

/**
 * The blocks of a debug arena, each with its guards, and in quarantine once it is free.
 *
 * <p><b>Owner:</b> {@code DebugArena}. <b>Threading:</b> thread-safe. A block's monitor, that of the quarantine and the locks of the heap
 * are never held together.
 */
public final class DebugBlocks extends ArenaBlocks {
    private final DebugOptions options;
    private final Map<Long, DebugBlock> live = new ConcurrentHashMap<>();
    private final Quarantine quarantine = new Quarantine();
    private final Sites sites;

    /** @param callers what users call, which no site begins in */
    public DebugBlocks(SlabSource source, long byteSize, long byteSizeMax, DebugOptions options, Class<?>... callers) {
        super(source, byteSize, byteSizeMax, new PageRuns());
        this.options = Objects.requireNonNull(options, "options");
        sites = new Sites(options.siteDepth(), callers);
    }

    // ---- what it does otherwise ----

    @Override
    protected long take(long byteSize, long alignment, boolean orNull, ElementType type, Shape shape) {
        // The guard in front is as large as the alignment, so that what is behind it has that, too.
        long moreInFront = SizeClasses.ceil(options.guardByteSize(), alignment) - options.guardByteSize();
        long guarded = options.guardedByteSize(byteSize);
        long whole = guarded > Long.MAX_VALUE - moreInFront ? Long.MAX_VALUE : guarded + moreInFront;
        long start;
        try {
            start = super.take(whole, alignment, orNull, type, shape);
        } catch (OutOfArenaMemoryException e) {
            throw new OutOfArenaMemoryException(e.getMessage() + "; in a debug arena, of which the guards take "
                    + 2 * options.guardByteSize() + " bytes of each block", e);
        }
        return start == 0 ? 0 : add(start, whole, options.guardByteSize() + moreInFront, byteSize);
    }

    @Override
    public Storage storageOf(long address) {
        return at(address);
    }

    /** The rest is guarded. */
    @Override
    public long usableByteSize(long byteSize) {
        return byteSize;
    }

    /** As if something were behind every block, which a guard is. */
    @Override
    public boolean resize(long address, long byteSize) {
        return byteSize <= at(address).byteSize;
    }

    @Override
    protected boolean giveWay() {
        boolean gives = !quarantine.waiting().isEmpty();
        throwIfAny(dismissBeyond(0));
        return gives;
    }

    /** @throws DamagedMemoryException if somebody wrote into a block after its free */
    @Override
    public ArenaStatistics statistics() {
        throwIfAny(dismissBeyond(0));
        return super.statistics();
    }

    @Override
    public boolean isConsistent() {
        return damages().isEmpty() && super.isConsistent();
    }

    /**
     * @throws IllegalStateException while blocks are live, naming where they were allocated; nothing is released then
     * @throws DamagedMemoryException if somebody wrote into a block after its free; closed nevertheless
     */
    @Override
    public void close() {
        List<String> damages = dismissBeyond(0);
        List<SiteUsage> leaks = liveBySite();
        if (!leaks.isEmpty()) {
            IllegalStateException refusal = new IllegalStateException(leakReport(leaks));
            if (!damages.isEmpty()) {
                refusal.addSuppressed(new DamagedMemoryException(damages));
            }
            throw refusal;
        }
        super.close();
        throwIfAny(damages);
    }

    /** @throws DamagedMemoryException if somebody wrote into a block after its free; not closed then, but when called again */
    @Override
    public LiveReport closeForcibly() {
        LiveReport report = super.closeForcibly();
        live.clear();
        return report;
    }

    @Override
    protected void endViews() {
        throwIfAny(dismissBeyond(0));
        live.values().forEach(DebugBlock::endViews);
    }

    private static String leakReport(List<SiteUsage> leaks) {
        return "close of an arena with live or pinned tensors: liveCount="
                + leaks.stream().mapToLong(SiteUsage::liveCount).sum() + " liveByteSize="
                + leaks.stream().mapToLong(SiteUsage::liveByteSize).sum()
                + "; close and unpin them first. The most bytes first:\n"
                + leaks.stream().map(SiteUsage::toString).collect(Collectors.joining("\n"));
    }

    // ---- blocks ----

    /** Makes a block of what the heap gave at {@code start}, with a guard in front of {@code frontByteSize}; its address. */
    private long add(long start, long wholeByteSize, long frontByteSize, long byteSize) {
        MemorySegment slab = slabAt(start).memory();
        MemorySegment whole = slab.asSlice(start - slab.address(), wholeByteSize);
        DebugBlock block = new DebugBlock(this, whole, frontByteSize, byteSize, sites.here());
        live.put(block.address, block);
        return block.address;
    }

    /**
     * The live block at the address.
     *
     * @throws IllegalStateException if it is free already
     * @throws IllegalArgumentException if none begins there, or that was too long ago
     */
    DebugBlock at(long address) {
        DebugBlock block = live.get(address);
        if (block != null) {
            return block;
        }
        DebugBlock earlier = quarantine.find(address);
        if (earlier != null) {
            throw new IllegalStateException("double free: " + earlier + earlier.history());
        }
        throw ArenaBlocks.noBlock(address);
    }

    /** @throws DamagedMemoryException if this one was written around, or one that leaves quarantine was written into; done nevertheless */
    void release(DebugBlock block) {
        if (wasClosedWithAll()) {
            throw freedByForce(block.address);
        }
        List<String> damages = new ArrayList<>();
        addIfDamaged(damages, block.retire(sites.here()));
        // In this order whoever frees it again always finds it in one of the two.
        quarantine.add(block);
        live.remove(block.address, block);
        damages.addAll(dismissBeyond(options.quarantineByteSizeMax()));
        throwIfAny(damages);
    }

    /** @throws DamagedMemoryException if somebody wrote around a live block or into one in quarantine */
    public void check() {
        throwIfAny(damages());
    }

    /** What is damaged of the live blocks and those in quarantine. */
    private List<String> damages() {
        return Stream.concat(live.values().stream(), quarantine.waiting().stream()).distinct()
                .map(DebugBlock::damage).filter(Objects::nonNull).toList();
    }

    @Override
    public int siteInterval() {
        return 1;
    }

    @Override
    public List<SiteUsage> liveBySite() {
        return wasClosedWithAll() ? List.of()
                : Sites.usages(live.values(), block -> block.allocated, block -> block.byteSize);
    }

    private List<String> dismissBeyond(long byteSizeMax) {
        List<String> damages = new ArrayList<>();
        for (DebugBlock block : quarantine.removeBeyond(byteSizeMax)) {
            addIfDamaged(damages, block.leave());
            if (!wasClosedWithAll()) {
                super.storageOf(block.start).release(block.start);
            }
        }
        return damages;
    }

    private static void throwIfAny(List<String> damages) {
        if (!damages.isEmpty()) {
            throw new DamagedMemoryException(damages);
        }
    }

    private static void addIfDamaged(List<String> damages, String damage) {
        if (damage != null) {
            damages.add(damage);
        }
    }
}
