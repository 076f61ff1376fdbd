package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.ControlledConnection;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.PeerMemory;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A connection: the control socket that tells when the peer dies, both link files, and the peer's regions as mapped here.
 *
 * <p>Threading: thread-safe.
 */
final class ShmConnection extends ControlledConnection {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShmConnection.class);

    private final boolean wantsSeals;
    private final SharedFile linkFile;
    private final LinkFile link;
    private final List<AutoCloseable> mappings = new ArrayList<>();
    private final LinkFile peerLink;
    private final RemoteRegions remoteRegions;
    private final List<ShmQueuePair> queuePairs;
    /** Regions of the peer that users have mapped. Guarded by this. */
    private int mappedCount;
    /** What waits until there are none. Guarded by this. */
    private Runnable whenUnmapped;

    /** Maps what the peer shares. Takes the link file and the socket over if it succeeds, the peer's files in any case. */
    ShmConnection(ShmFabric fabric, ControlSocket socket, SharedFile linkFile, List<QueuePairOptions> options,
            Hello peer, PeerFiles files)
            throws PeerFileException, IOException {
        super(fabric, socket, peer.name(), peer.listening());
        wantsSeals = fabric.wantsSeals();
        mappings.add(files);
        this.linkFile = linkFile;
        link = new LinkFile(linkFile.memory(), receiveDepths(options));
        try {
            SharedMapping fabricMapping = mapped(files, peer.fabricFile(), FabricFile.BYTE_SIZE, true);
            SharedMapping tableMapping = mapped(files, peer.regionTable(), RegionTable.TABLE_BYTE_SIZE, false);
            SharedMapping linkMapping = mapped(files, peer.linkFile(), LinkFile.byteSize(peer.receiveDepths()),
                    true);
            if (!FabricFile.isValid(fabricMapping.memory()) || !LinkFile.isValid(linkMapping.memory())) {
                throw new PeerFileException(Libc.EINVAL, "its shared memory has another layout; use the same Verbena on"
                        + " both sides");
            }
            peerLink = new LinkFile(linkMapping.memory(), peer.receiveDepths());
            remoteRegions = new RemoteRegions(files, new RegionTable(tableMapping.memory()));
            mappings.add(remoteRegions);
            List<ShmQueuePair> made = new ArrayList<>();
            for (int i = 0; i < options.size(); i++) {
                made.add(new ShmQueuePair(fabric, this, i, options.get(i), link, peerLink, remoteRegions,
                        FabricFile.doorbell(fabricMapping.memory(), peer.doorbells()[i])));
            }
            queuePairs = List.copyOf(made);
        } catch (PeerFileException | RuntimeException e) {
            unmap();
            throw e;
        }
    }

    private SharedMapping mapped(PeerFiles files, FileIdentity file, long byteSize, boolean isWritable)
            throws PeerFileException {
        SharedMapping mapping = SharedMapping.mapPeer(files, file, byteSize, isWritable, wantsSeals);
        mappings.add(mapping);
        return mapping;
    }

    static int[] receiveDepths(List<QueuePairOptions> options) {
        return options.stream().mapToInt(QueuePairOptions::receiveDepth).toArray();
    }

    @Override
    public List<QueuePair> queuePairs() {
        return List.copyOf(queuePairs);
    }

    @Override
    protected void attach() {
        queuePairs.forEach(queuePair -> queuePair.completionQueue().attach(queuePair));
    }

    // ---- memory of the peer for users ----

    @Override
    public PeerMemory mapPeer(long rkey) {
        return mapPeer(rkey, Rights.REMOTE_WRITE, "write to; it has been closed, or lacks REMOTE_WRITE");
    }

    @Override
    public PeerMemory mapPeerForReading(long rkey) {
        return mapPeer(rkey, Rights.REMOTE_READ, "read; it has been closed, or lacks REMOTE_READ");
    }

    private PeerMemory mapPeer(long rkey, int right, String what) {
        synchronized (this) {
            if (!isOpen()) {
                throw new TransferException(
                        "memory of " + peer() + " cannot be mapped: the connection is lost or closed");
            }
            try {
                RemoteRegions.RemoteRegion region = remoteRegions.mapAnew(rkey, right);
                if (region == null) {
                    throw new TransferException(
                            peer() + " has no region rkey=" + rkey + " that peers may " + what);
                }
                mappedCount++;
                return new ShmPeerMemory(region, this::onUnmapped);
            } catch (PeerFileException e) {
                throw new TransferException("memory of " + peer() + " cannot be mapped: " + e.getMessage(), e);
            }
        }
    }

    private void onUnmapped() {
        Runnable waiting;
        synchronized (this) {
            mappedCount--;
            waiting = mappedCount == 0 ? whenUnmapped : null;
        }
        if (waiting != null) {
            waiting.run();
        }
    }

    /** Called once, when it is closed and nothing can be mapped any more. */
    @Override
    protected void whenNothingIsMapped(Runnable then) {
        synchronized (this) {
            if (mappedCount > 0) {
                whenUnmapped = then;
                return;
            }
        }
        then.run();
    }

    // ---- the control thread's part ----

    @Override
    protected void onFrame(Frame frame) throws ProtocolException {
        if (frame.type() != Frame.Type.SWEEP) {
            throw new ProtocolException("unexpected " + frame.type());
        }
        sweep();
    }

    private synchronized void sweep() {
        if (isOpen()) {
            peerLink.acceptSweep();
            remoteRegions.sweep();
        }
    }

    @Override
    protected void onSocketEnd() {
        int farewell;
        String text;
        synchronized (this) {
            if (!isOpen()) {
                return;
            }
            farewell = peerLink.farewellAcquire();
            text = peerLink.farewellText();
        }
        boolean hasLeft = farewell != LinkFile.FAREWELL_NONE;
        lose(farewell == LinkFile.FAREWELL_BYE, peer() + " " + (hasLeft ? text : "died"));
    }

    @Override
    protected void loseQueuePairs(String cause) {
        for (ShmQueuePair queuePair : queuePairs) {
            queuePair.lose(cause);
        }
    }

    /** The peer shall unmap what was deregistered here. */
    void requestSweep() {
        synchronized (this) {
            if (!isOpen() || !link.requestSweep()) {
                return;
            }
        }
        try {
            socket().send(Frame.Type.SWEEP);
        } catch (IOException e) {
            LOGGER.trace("the peer is gone, and so are its mappings; the control thread sees it too", e);
        }
    }

    // ---- ends ----

    /** The peer writes by itself, until it has unmapped what it had of this side. */
    @Override
    public void whenQuiet(Runnable then) {
        whenPeerEnded(then);
    }

    @Override
    protected void sayFarewell(boolean orderly, String text) {
        link.sayFarewellRelease(orderly ? LinkFile.FAREWELL_BYE : LinkFile.FAREWELL_ABORT, text);
    }

    @Override
    protected void closeQueuePairs(String text) {
        for (ShmQueuePair queuePair : queuePairs) {
            queuePair.completionQueue().detach(queuePair);
            queuePair.close(text);
        }
    }

    @Override
    protected void release() {
        unmap();
        linkFile.close();
    }

    private void unmap() {
        for (AutoCloseable mapping : mappings.reversed()) {
            try {
                mapping.close();
            } catch (RuntimeException e) {
                throw e;
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        }
    }
}
