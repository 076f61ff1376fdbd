package dev.verbena.transfer.fabric.verbs;

import java.util.EnumSet;
import java.util.Set;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.fabric.CheckedRegion;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.MemoryRegion;
import dev.verbena.verbs.ProtectionDomain;

/**
 * A region registered with the device: pages of ordinary memory, pinned.
 *
 * <p>Threading: immutable but for its end, which comes once.
 */
final class VerbsRegion extends CheckedRegion {
    private final VerbsFabric fabric;
    private final OffHeapSlabSource source;
    private final Slab slab;
    private final MemoryRegion registered;

    private VerbsRegion(VerbsFabric fabric, OffHeapSlabSource source, Slab slab, MemoryRegion registered,
            Set<AccessRight> rights) {
        // Some devices give no rkey where nobody may come in; the lkey tells such regions apart and opens none to peers.
        super(fabric, slab.memory(),
                Integer.toUnsignedLong(registered.rkey() != 0 ? registered.rkey() : registered.lkey()), rights);
        this.fabric = fabric;
        this.source = source;
        this.slab = slab;
        this.registered = registered;
    }

    static VerbsRegion register(VerbsFabric fabric, ProtectionDomain domain, OffHeapSlabSource source, long byteSize,
            Set<AccessRight> rights, SlabOptions options) {
        Slab slab = source.acquire(byteSize, options);
        try {
            if (options.pages() == PageKind.RESERVED_HUGE && options.prefaultThreads() == 0) {
                // Others may have come instead, of which nobody has asked yet whether there are so many.
                fabric.checkRoom(byteSize, slab.backing().pages());
            }
            return new VerbsRegion(fabric, source, slab,
                    domain.register(slab.memory(), flags(rights, fabric.traits().hasAtomics())),
                    rights);
        } catch (RuntimeException e) {
            source.release(slab);
            throw e;
        }
    }

    /** Where there are no atomics, nobody can make use of the right. */
    private static Set<AccessFlag> flags(Set<AccessRight> rights, boolean hasAtomics) {
        Set<AccessFlag> flags = EnumSet.noneOf(AccessFlag.class);
        for (AccessRight right : rights) {
            if (right == AccessRight.REMOTE_ATOMIC && !hasAtomics) {
                continue;
            }
            flags.add(switch (right) {
                case LOCAL_WRITE -> AccessFlag.LOCAL_WRITE;
                case REMOTE_WRITE -> AccessFlag.REMOTE_WRITE;
                case REMOTE_READ -> AccessFlag.REMOTE_READ;
                case REMOTE_ATOMIC -> AccessFlag.REMOTE_ATOMIC;
            });
        }
        return flags;
    }

    @Override
    public SlabBacking backing() {
        return slab.backing();
    }

    MemoryRegion registered() {
        return registered;
    }

    @Override
    protected void release() {
        fabric.forget(this);
        registered.close();
        source.release(slab);
    }
}
