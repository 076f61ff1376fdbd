package example.fabric;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.memory.SlabBacking;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;

/** @param carrier what carries its bytes knows it by */
record TalliedRegion(MemoryRegion carrier) implements MemoryRegion {
    /** As its carrier knows a region; one of others is left to it to refuse. */
    static MemoryRegion carried(MemoryRegion region) {
        return region instanceof TalliedRegion own ? own.carrier : region;
    }

    @Override
    public MemorySegment memory() {
        return carrier.memory();
    }

    @Override
    public SlabBacking backing() {
        return carrier.backing();
    }

    @Override
    public MemoryKind kind() {
        return carrier.kind();
    }

    @Override
    public long byteSize() {
        return carrier.byteSize();
    }

    @Override
    public long address() {
        return carrier.address();
    }

    @Override
    public long rkey() {
        return carrier.rkey();
    }

    @Override
    public Set<AccessRight> rights() {
        return carrier.rights();
    }

    @Override
    public boolean isOpen() {
        return carrier.isOpen();
    }

    @Override
    public void close() {
        carrier.close();
    }
}
