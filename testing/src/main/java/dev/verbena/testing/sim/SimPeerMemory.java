package dev.verbena.testing.sim;

import java.lang.foreign.MemorySegment;

import dev.verbena.transfer.spi.PeerMemory;

/**
 * A region of the peer, mapped; it ends with the process that has mapped it.
 *
 * <p><b>Owner:</b> who mapped it. <b>Threading:</b> confined to the simulation.
 */
final class SimPeerMemory implements PeerMemory {
    private final SimFabric fabric;
    private final SimConnection connection;
    private final SimRegion region;
    private final MemorySegment bytes;
    private boolean isOpen = true;

    SimPeerMemory(SimFabric fabric, SimConnection connection, SimRegion region, boolean isReadOnly) {
        this.fabric = fabric;
        this.connection = connection;
        this.region = region;
        bytes = isReadOnly ? region.bytes().asReadOnly() : region.bytes();
        fabric.adopt(this);
        region.onMapped();
    }

    @Override
    public MemorySegment memory() {
        return bytes;
    }

    @Override
    public long address() {
        return region.address();
    }

    @Override
    public void close() {
        if (isOpen) {
            isOpen = false;
            fabric.forget(this);
            region.onUnmapped();
            connection.onUnmapped();
        }
    }

    @Override
    public String toString() {
        return region + " mapped by " + fabric;
    }
}
