package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabBacking;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * Registered memory. Peers know it under an address that the machine did not choose, so that runs are alike; where the CPU sees it
 * is another matter.
 *
 * <p><b>Owner:</b> who registered it. <b>Threading:</b> confined to the simulation.
 */
final class SimRegion implements MemoryRegion {
    private final SimMemory home;
    private final MemorySegment bytes;
    private final MemoryKind kind;
    /** Null of what was imported. */
    private final Slab slab;
    private final long address;
    private final long byteSize;
    private final long rkey;
    private final Set<AccessRight> rights;
    private boolean isOpen = true;
    /** Peers that have it mapped. */
    private int mappings;

    SimRegion(SimMemory home, MemorySegment bytes, MemoryKind kind, Slab slab, long address, long rkey,
            Set<AccessRight> rights) {
        this.home = home;
        this.bytes = bytes;
        this.kind = kind;
        this.slab = slab;
        this.address = address;
        this.rkey = rkey;
        this.rights = Set.copyOf(rights);
        byteSize = bytes.byteSize();
    }

    @Override
    public MemorySegment memory() {
        if (kind == MemoryKind.DEVICE) {
            throw new UnsupportedOperationException(this + " is memory of a device; read it into a region of the host");
        }
        return bytes;
    }

    /** As devices reach them. */
    MemorySegment bytes() {
        return bytes;
    }

    @Override
    public MemoryKind kind() {
        return kind;
    }

    @Override
    public SlabBacking backing() {
        return slab == null ? SlabBacking.UNSAID : slab.backing();
    }

    @Override
    public long address() {
        return address;
    }

    @Override
    public long rkey() {
        return rkey;
    }

    @Override
    public Set<AccessRight> rights() {
        return rights;
    }

    @Override
    public long byteSize() {
        return byteSize;
    }

    SimMemory home() {
        return home;
    }

    @Override
    public boolean isOpen() {
        return isOpen;
    }

    /** Whether all these bytes are its own, at an address as peers name it. */
    boolean contains(long remoteAddress, long count) {
        long offset = remoteAddress - address;
        return offset >= 0 && count <= byteSize && offset <= byteSize - count;
    }

    /** Why its owner may not use these bytes with this right (or none, if null); null if it may. */
    String refusal(long offset, long count, AccessRight right) {
        if (!isOpen) {
            return "region rkey=" + rkey + " is closed";
        }
        if (offset < 0 || count > byteSize || offset > byteSize - count) {
            return "element offset=" + offset + " byteSize=" + count + " is outside its region rkey=" + rkey
                    + " byteSize="
                    + byteSize;
        }
        return right == null || rights.contains(right) ? null : "region rkey=" + rkey + " lacks " + right + ", it has "
                + rights;
    }

    void onMapped() {
        mappings++;
    }

    void onUnmapped() {
        mappings--;
        freeUnlessMapped();
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            home.forget(this);
            freeUnlessMapped();
        }
    }

    private void freeUnlessMapped() {
        if (!isOpen && mappings == 0 && slab != null) {
            home.free(slab);
        }
    }

    /** The same in each run, so that maps of them are. */
    @Override
    public int hashCode() {
        return Long.hashCode(rkey);
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return "region rkey=" + rkey + " byteSize=" + byteSize + " of " + home;
    }
}
