package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Stream;

import dev.verbena.memory.heap.ArenaHeap;
import dev.verbena.memory.heap.Storage;

/**
 * What a debug arena knows of its blocks, live ones and those in quarantine.
 *
 * <p><b>Owner:</b> {@link DebugArena}. <b>Threading:</b> thread-safe. A block's monitor, that of the quarantine and the locks of the heap
 * are never held together.
 */
final class DebugBlocks {
    private final Storage heap;
    private final DebugOptions options;
    private final Map<Long, DebugBlock> live = new ConcurrentHashMap<>();
    private final Quarantine quarantine = new Quarantine();
    /** Each is there once: blocks come by the hundred thousand, places in a program do not. */
    private final Map<Site, Site> sites = new ConcurrentHashMap<>();

    DebugBlocks(Storage heap, DebugOptions options) {
        this.heap = heap;
        this.options = Objects.requireNonNull(options, "options");
    }

    /** Makes a block of what the heap gave at {@code start}, which has {@link DebugOptions#guardedByteSize}; its address. */
    long add(long start, long byteSize) {
        MemorySegment slab = heap.slabAt(start).memory();
        MemorySegment whole = slab.asSlice(start - slab.address(), options.guardedByteSize(byteSize));
        DebugBlock block = new DebugBlock(this, whole, options.guardByteSize(), byteSize, site());
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
        throw ArenaHeap.noBlock(address);
    }

    Slab slabAt(long address) {
        return heap.slabAt(address);
    }

    /** @throws DamagedMemoryException if this one was written around, or one that leaves quarantine was written into; done nevertheless */
    void release(DebugBlock block) {
        List<String> damages = new ArrayList<>();
        addIfDamaged(damages, block.retire(site()));
        // In this order whoever frees it again always finds it in one of the two.
        quarantine.add(block);
        live.remove(block.address, block);
        damages.addAll(dismissBeyond(options.quarantineByteSizeMax()));
        DamagedMemoryException.throwIfAny(damages);
    }

    /** Lets all go that are in quarantine; what is damaged. */
    List<String> dismissAll() {
        return dismissBeyond(0);
    }

    boolean isQuarantineEmpty() {
        return quarantine.waiting().isEmpty();
    }

    /** What is damaged of the live blocks and those in quarantine. */
    List<String> damages() {
        return Stream.concat(live.values().stream(), quarantine.waiting().stream()).distinct()
                .map(DebugBlock::damage).filter(Objects::nonNull).toList();
    }

    /** The most bytes first. */
    List<SiteUsage> liveBySite() {
        Map<Site, SiteUsage> usages = new HashMap<>();
        for (DebugBlock block : live.values()) {
            usages.merge(block.allocated, new SiteUsage(block.allocated.frames(), 1, block.byteSize),
                    (one, other) -> new SiteUsage(one.frames(), one.liveCount() + other.liveCount(),
                            one.liveByteSize() + other.liveByteSize()));
        }
        return usages.values().stream()
                .sorted(Comparator.comparingLong(SiteUsage::liveByteSize).thenComparingLong(SiteUsage::liveCount)
                        .reversed())
                .toList();
    }

    private List<String> dismissBeyond(long byteSizeMax) {
        List<String> damages = new ArrayList<>();
        for (DebugBlock block : quarantine.removeBeyond(byteSizeMax)) {
            addIfDamaged(damages, block.leave());
            heap.release(block.start);
        }
        return damages;
    }

    private Site site() {
        Site here = Site.here(options.siteDepth());
        Site known = sites.putIfAbsent(here, here);
        return known == null ? here : known;
    }

    private static void addIfDamaged(List<String> damages, String damage) {
        if (damage != null) {
            damages.add(damage);
        }
    }
}
