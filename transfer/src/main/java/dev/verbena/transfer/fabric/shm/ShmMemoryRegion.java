package dev.verbena.transfer.fabric.shm;

import java.util.Set;

import dev.verbena.memory.SlabBacking;
import dev.verbena.transfer.fabric.CheckedRegion;
import dev.verbena.transfer.spi.AccessRight;

/**
 * A registered region: its bytes, and its entry in the region table if they are in a file.
 *
 * <p>Threading: immutable but for its end, which comes once.
 */
final class ShmMemoryRegion extends CheckedRegion {
    private final ShmFabric fabric;
    private final RegionMemory memory;

    ShmMemoryRegion(ShmFabric fabric, RegionMemory memory, long rkey, Set<AccessRight> rights) {
        super(fabric, memory.memory(), rkey, rights);
        this.fabric = fabric;
        this.memory = memory;
    }

    @Override
    public SlabBacking backing() {
        return memory.backing();
    }

    @Override
    protected void release() {
        fabric.deregister(this);
        memory.release();
    }
}
