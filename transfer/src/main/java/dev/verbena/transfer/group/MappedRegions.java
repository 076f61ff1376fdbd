package dev.verbena.transfer.group;

import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.spi.PeerMemory;

/**
 * Regions of another member, each mapped when it is named for the first time, until the connection closes, or {@value #MAX} others were named: they
 * are slabs of its arenas, which may be gone. Nothing is allocated when one is found that is mapped.
 *
 * <p><b>Owner:</b> {@link Member}. <b>Threading:</b> found while driving, closed on any thread; who uses the bytes then is told by an exception. Regions are
 * unmapped outside the lock: the fabric may have waited for that, to tell others.
 */
final class MappedRegions {
    private static final int MAX = 16;

    private record Region(long rkey, PeerMemory memory) {}

    private final Runnable onConnectionClosed = this::close;
    private PeerConnection peer;
    /** Guarded by this, as is the next. */
    private final List<Region> regions = new ArrayList<>();
    private boolean isClosed;

    /** Before any is looked for. */
    void of(PeerConnection peer) {
        this.peer = peer;
        peer.addCloseListener(onConnectionClosed);
    }

    /**
     * Usable until another one is looked for.
     *
     * @throws TransferException if it cannot be mapped
     */
    PeerMemory find(long rkey) {
        PeerMemory memory;
        Region old = null;
        synchronized (this) {
            for (int i = 0; i < regions.size(); i++) {
                if (regions.get(i).rkey == rkey) {
                    return regions.get(i).memory;
                }
            }
            if (isClosed) {
                throw new TransferException("peer '" + peer.name() + "' has left");
            }
            memory = peer.connection().mapPeer(rkey);
            if (regions.size() == MAX) {
                old = regions.removeFirst();
            }
            regions.add(new Region(rkey, memory));
        }
        if (old != null) {
            old.memory.close();
        }
        return memory;
    }

    /** Idempotent. */
    void close() {
        List<Region> left;
        synchronized (this) {
            isClosed = true;
            left = List.copyOf(regions);
            regions.clear();
        }
        left.forEach(region -> region.memory.close());
        if (peer != null) {
            peer.removeCloseListener(onConnectionClosed);
        }
    }
}
