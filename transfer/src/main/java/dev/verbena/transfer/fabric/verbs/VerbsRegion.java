package dev.verbena.transfer.fabric.verbs;

import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabBacking;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.fabric.CheckedRegion;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.ForeignMemory;
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
    private final MemoryRegion registered;
    private final SlabBacking backing;
    /** What becomes of the memory. */
    private final Runnable end;

    private VerbsRegion(VerbsFabric fabric, MemorySegment memory, MemoryRegion registered, Set<AccessRight> rights,
            SlabBacking backing, Runnable end) {
        super(fabric, memory, key(registered), rights);
        this.fabric = fabric;
        this.registered = registered;
        this.backing = backing;
        this.end = end;
    }

    /** Of a device. */
    private VerbsRegion(VerbsFabric fabric, MemoryRegion registered, Set<AccessRight> rights) {
        super(fabric, registered.remoteAddress(), registered.byteSize(), key(registered), rights);
        this.fabric = fabric;
        this.registered = registered;
        this.backing = SlabBacking.UNSAID;
        this.end = () -> {};
    }

    /** Some devices give no rkey where nobody may come in; the lkey tells such regions apart and opens none to peers. */
    private static long key(MemoryRegion registered) {
        return Integer.toUnsignedLong(registered.rkey() != 0 ? registered.rkey() : registered.lkey());
    }

    /** The pages stay the caller's, and pinned until the region is closed. */
    static VerbsRegion of(VerbsFabric fabric, ProtectionDomain domain, ForeignMemory memory, Set<AccessRight> rights) {
        Set<AccessFlag> flags = flags(rights, fabric.traits().hasAtomics());
        return switch (memory) {
            case ForeignMemory.Host host -> new VerbsRegion(fabric, host.segment(),
                    domain.register(host.segment(), flags), rights, SlabBacking.UNSAID, () -> {});
            // Under its offset: an address must be as far into a page as that.
            case ForeignMemory.DmaBuf buffer -> new VerbsRegion(fabric, domain.registerDmabuf(buffer.descriptor(),
                    buffer.offset(), buffer.byteSize(), buffer.offset(), flags), rights);
        };
    }

    static VerbsRegion register(VerbsFabric fabric, ProtectionDomain domain, OffHeapSlabSource source, long byteSize,
            Set<AccessRight> rights, SlabOptions options) {
        Slab slab = source.acquire(byteSize, options);
        try {
            if (options.pages() == PageKind.RESERVED_HUGE && options.prefaultThreads() == 0) {
                // Others may have come instead, of which nobody has asked yet whether there are so many.
                fabric.checkRoom(byteSize, slab.backing().pages());
            }
            return new VerbsRegion(fabric, slab.memory(),
                    domain.register(slab.memory(), flags(rights, fabric.traits().hasAtomics())), rights, slab.backing(),
                    () -> source.release(slab));
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
        return backing;
    }

    MemoryRegion registered() {
        return registered;
    }

    @Override
    protected void release() {
        fabric.forget(this);
        registered.close();
        end.run();
    }
}
