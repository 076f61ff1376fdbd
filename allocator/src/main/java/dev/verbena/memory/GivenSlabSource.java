package dev.verbena.memory;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import dev.verbena.memory.heap.SizeClasses;

/**
 * Slabs that its user brings along: memory of his own, a mapped file, a registered region. Each is with one arena at a time; one that an
 * arena gives back may be handed out again, to the same or to another one.
 *
 * <p>A request gets the smallest that is large enough, as a whole; of a last part of less than 4,096 bytes an arena makes no use. Contents
 * stay as they are: neither zeroed when a slab is handed out, nor touched when it comes back.
 *
 * <p><b>Owner:</b> whoever made it, and owns the memory, which is to be there until the slabs are back. <b>Threading:</b> thread-safe.
 */
public final class GivenSlabSource implements SlabSource {
    private final List<Slab> slabs;
    /** By address; guarded by this. */
    private final Set<Long> handedOut = new HashSet<>();

    /**
     * Of slabs of others, such as regions that a device has registered; {@link Tensor#slab()} leads to them.
     *
     * @throws IllegalArgumentException if the memory of one is not native, read-only, not aligned to 4,096 bytes or shorter than that, or
     *             if two overlap
     */
    public GivenSlabSource(Slab... slabs) {
        this.slabs = Stream.of(slabs).sorted(Comparator.comparingLong(slab -> slab.memory().byteSize())).toList();
        List<MemorySegment> byAddress = new ArrayList<>(this.slabs.stream().map(Slab::memory).toList());
        byAddress.forEach(GivenSlabSource::check);
        byAddress.sort(Comparator.comparingLong(MemorySegment::address));
        for (int i = 1; i < byAddress.size(); i++) {
            checkApart(byAddress.get(i - 1), byAddress.get(i));
        }
    }

    /**
     * Of segments.
     *
     * @throws IllegalArgumentException as {@link #GivenSlabSource(Slab...)}
     */
    public static GivenSlabSource of(MemorySegment... segments) {
        return new GivenSlabSource(Stream.of(segments).map(Given::new).toArray(Slab[]::new));
    }

    private static void check(MemorySegment memory) {
        if (!memory.isNative() || memory.isReadOnly()) {
            throw new IllegalArgumentException("memory=" + memory + " of a slab must be native and writable");
        }
        long address = memory.address();
        long aligned = SizeClasses.ceil(address, SizeClasses.PAGE_BYTE_SIZE);
        if (aligned != address) {
            throw new IllegalArgumentException("memory=" + memory + " of a slab must be aligned to "
                    + SizeClasses.PAGE_BYTE_SIZE + "; allocate it so, or give memory.asSlice(" + (aligned - address)
                    + ")");
        }
        if (memory.byteSize() < SizeClasses.PAGE_BYTE_SIZE) {
            throw new IllegalArgumentException("memory=" + memory + " of a slab must have "
                    + SizeClasses.PAGE_BYTE_SIZE + " bytes or more");
        }
    }

    private static void checkApart(MemorySegment low, MemorySegment high) {
        if (high.address() - low.address() < low.byteSize()) {
            throw new IllegalArgumentException("slabs overlap: " + low + " and " + high + "; give each byte once");
        }
    }

    /**
     * {@inheritDoc} Not zeroed.
     *
     * @throws IllegalArgumentException if {@code byteSizeMin} is less than 1
     */
    @Override
    public synchronized Slab acquire(long byteSizeMin) {
        if (byteSizeMin < 1) {
            throw new IllegalArgumentException("byteSizeMin=" + byteSizeMin + " of a slab must be at least 1");
        }
        for (Slab slab : slabs) {
            if (slab.memory().byteSize() >= byteSizeMin && handedOut.add(slab.memory().address())) {
                return slab;
            }
        }
        throw new OutOfArenaMemoryException(
                "none of the given slabs=" + slabs.size() + " that is not in use has byteSize="
                        + byteSizeMin + "; the largest has byteSize=" + largestByteSize() + "; give more memory");
    }

    private long largestByteSize() {
        return slabs.stream().map(Slab::memory).filter(memory -> !handedOut.contains(memory.address()))
                .mapToLong(MemorySegment::byteSize).max().orElse(0);
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the slab is not from this source
     * @throws IllegalStateException if it is released already
     */
    @Override
    public synchronized void release(Slab slab) {
        if (slabs.stream().noneMatch(own -> own == slab)) {
            throw new IllegalArgumentException("release of a foreign slab: " + slab);
        }
        if (!handedOut.remove(slab.memory().address())) {
            throw new IllegalStateException("release of a slab that is released already: " + slab);
        }
    }

    /** Bytes of all slabs, handed out or not: an arena's budget that uses them all. */
    public long byteSize() {
        return slabs.stream().mapToLong(slab -> slab.memory().byteSize()).sum();
    }

    /** Bytes of the slabs that are not released yet. */
    public synchronized long heldByteSize() {
        return slabs.stream().map(Slab::memory).filter(memory -> handedOut.contains(memory.address()))
                .mapToLong(MemorySegment::byteSize).sum();
    }

    /** One of a segment. */
    private record Given(MemorySegment memory) implements Slab {}
}
