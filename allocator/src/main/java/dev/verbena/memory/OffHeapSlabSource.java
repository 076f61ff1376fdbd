package dev.verbena.memory;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicLong;

/**
 * Slabs of ordinary memory outside the Java heap, for tensors that never leave the process.
 *
 * <p>Pages are zeroed, page-aligned and committed when first touched; a slab that is released goes back to the system at once, and
 * later accesses to its memory throw. Not limited by {@code -XX:MaxDirectMemorySize}. Linux; needs
 * {@code --enable-native-access} for this module.
 *
 * <p><b>Owner:</b> whoever made it; there is nothing to close but the slabs. <b>Threading:</b> thread-safe.
 */
public final class OffHeapSlabSource implements SlabSource {
    private final AtomicLong heldByteSize = new AtomicLong();

    /** A source that holds no slab. */
    public OffHeapSlabSource() {}

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if {@code byteSizeMin} is less than 1
     */
    @Override
    public Slab acquire(long byteSizeMin) {
        if (byteSizeMin < 1) {
            throw new IllegalArgumentException("byteSizeMin=" + byteSizeMin + " of a slab must be at least 1");
        }
        long byteSize = SizeClasses.ceilToPage(byteSizeMin);
        Arena lifetime = Arena.ofShared();
        try {
            Slab slab = new OffHeapSlab(this, SystemMemory.map(byteSize, lifetime), lifetime);
            heldByteSize.addAndGet(byteSize);
            return slab;
        } catch (Throwable e) {
            lifetime.close();
            throw e;
        }
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the slab is not from this source
     * @throws IllegalStateException if it is released already, or a native call still uses it
     */
    @Override
    public void release(Slab slab) {
        if (!(slab instanceof OffHeapSlab own) || own.source != this) {
            throw new IllegalArgumentException("release of a foreign slab: " + slab);
        }
        if (!own.memory.scope().isAlive()) {
            throw new IllegalStateException("release of a slab that is released already: " + slab);
        }
        own.lifetime.close();
        heldByteSize.addAndGet(-own.memory.byteSize());
    }

    /** Bytes of the slabs that are not released yet. */
    public long heldByteSize() {
        return heldByteSize.get();
    }

    private record OffHeapSlab(OffHeapSlabSource source, MemorySegment memory, Arena lifetime) implements Slab {
        @Override
        public String toString() {
            return "slab " + memory;
        }
    }
}
