package dev.verbena.transfer.fabric.shm;

import java.lang.foreign.MemorySegment;
import java.util.concurrent.atomic.AtomicBoolean;

import dev.verbena.transfer.spi.PeerMemory;

/**
 * A region of the peer, mapped for a user.
 *
 * <p>Threading: thread-safe.
 */
final class ShmPeerMemory implements PeerMemory {
    private final RemoteRegions.RemoteRegion region;
    private final Runnable onUnmapped;
    private final AtomicBoolean isClosed = new AtomicBoolean();

    ShmPeerMemory(RemoteRegions.RemoteRegion region, Runnable onUnmapped) {
        this.region = region;
        this.onUnmapped = onUnmapped;
    }

    @Override
    public MemorySegment memory() {
        return region.memory;
    }

    @Override
    public long address() {
        return region.address;
    }

    @Override
    public void close() {
        if (isClosed.compareAndSet(false, true)) {
            region.unmap();
            onUnmapped.run();
        }
    }
}
