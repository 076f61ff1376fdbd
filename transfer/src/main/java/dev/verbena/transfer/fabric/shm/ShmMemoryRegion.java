package dev.verbena.transfer.fabric.shm;

import java.util.Set;

import dev.verbena.memory.SlabBacking;
import dev.verbena.transfer.fabric.CheckedRegion;
import dev.verbena.transfer.spi.AccessRight;

/**
 * A registered region: a nameless shared file and its entry in the region table.
 *
 * <p>Threading: immutable but for its end, which comes once.
 */
final class ShmMemoryRegion extends CheckedRegion {
    private final ShmFabric fabric;
    private final RegionFile file;

    ShmMemoryRegion(ShmFabric fabric, RegionFile file, long rkey, Set<AccessRight> rights) {
        super(fabric, file.file().memory(), rkey, rights);
        this.fabric = fabric;
        this.file = file;
    }

    @Override
    public SlabBacking backing() {
        return file.backing();
    }

    @Override
    protected void release() {
        fabric.deregister(this);
        file.file().close();
    }
}
