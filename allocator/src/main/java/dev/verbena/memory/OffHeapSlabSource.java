package dev.verbena.memory;

import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.memory.slab.HugePages;
import dev.verbena.memory.slab.NodeMemory;
import dev.verbena.memory.slab.OffHeapSlab;
import dev.verbena.memory.slab.SlabMemory;

/**
 * Slabs of ordinary memory outside the Java heap, for tensors that never leave the process.
 *
 * <p>Pages are zeroed and committed when first touched, unless the options say otherwise; a slab that is released goes back to the
 * system at once, and later accesses to its memory throw. Its size is a multiple of 4 KiB, with huge pages of 2 MiB. Not limited by
 * {@code -XX:MaxDirectMemorySize}. Linux; needs {@code --enable-native-access} for this module.
 *
 * <p><b>Owner:</b> whoever made it; there is nothing to close but the slabs. <b>Threading:</b> thread-safe.
 */
public final class OffHeapSlabSource implements SlabSource {
    private final SlabOptions options;
    private final HugePages hugePages;
    private final AtomicLong heldByteSize = new AtomicLong();

    /** A source that holds no slab, of plain pages. */
    public OffHeapSlabSource() {
        this(SlabOptions.defaults());
    }

    /**
     * A source that holds no slab.
     *
     * @throws IllegalArgumentException if the machine has no such NUMA node as the options say
     */
    public OffHeapSlabSource(SlabOptions options) {
        this(options, HugePages.SYSTEM);
    }

    OffHeapSlabSource(SlabOptions options, HugePages hugePages) {
        this.options = checked(options);
        this.hugePages = hugePages;
    }

    /**
     * {@inheritDoc} How its memory came about, {@link Slab#backing()} says.
     *
     * @throws IllegalArgumentException if {@code byteSizeMin} is less than 1
     * @throws IllegalCallerException if Java refuses native calls
     * @throws java.util.concurrent.CancellationException if the thread is interrupted while pages are pre-faulted
     */
    @Override
    public Slab acquire(long byteSizeMin) {
        return acquire(byteSizeMin, options);
    }

    /**
     * As {@link #acquire(long)} with other options than those of the source.
     *
     * @throws IllegalArgumentException also if the machine has no such NUMA node
     */
    public Slab acquire(long byteSizeMin, SlabOptions options) {
        if (byteSizeMin < 1) {
            throw new IllegalArgumentException("byteSizeMin=" + byteSizeMin + " of a slab must be at least 1");
        }
        Slab slab = new SlabMemory(this, byteSizeMin, checked(options), hugePages).map();
        heldByteSize.addAndGet(slab.memory().byteSize());
        return slab;
    }

    private static SlabOptions checked(SlabOptions options) {
        if (options.numaNode() != SlabOptions.ANY_NODE) {
            NodeMemory.check(options.numaNode());
        }
        return options;
    }

    /**
     * {@inheritDoc}
     *
     * @throws IllegalArgumentException if the slab is not from this source
     * @throws IllegalStateException if it is released already, or a native call still uses it
     */
    @Override
    public void release(Slab slab) {
        if (!(slab instanceof OffHeapSlab own) || own.source() != this) {
            throw new IllegalArgumentException("release of a foreign slab: " + slab);
        }
        if (!own.memory().scope().isAlive()) {
            throw new IllegalStateException("release of a slab that is released already: " + slab);
        }
        own.lifetime().close();
        heldByteSize.addAndGet(-own.memory().byteSize());
    }

    @Override
    public boolean isZeroing() {
        return true;
    }

    /** Bytes of the slabs that are not released yet. */
    public long heldByteSize() {
        return heldByteSize.get();
    }
}
