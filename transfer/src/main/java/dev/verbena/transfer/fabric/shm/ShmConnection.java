package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.ControlledConnection;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A connection: the control socket that tells when the peer dies, both link files, and the peer's regions as mapped here.
 *
 * <p>Not to be closed from inside a completion handler when its queue pairs are spread over several completion queues.
 *
 * <p>Threading: thread-safe.
 */
final class ShmConnection implements ControlledConnection {
    private static final Logger LOGGER = LoggerFactory.getLogger(ShmConnection.class);

    /** Only downwards in this list. */
    private enum State {
        /** Both sides are there. */
        OPEN,
        /** The peer is gone; what it shared is still mapped here, so that what arrived can be polled. */
        LOST,
        /** This side has closed it; everything is unmapped. */
        CLOSED
    }

    private final ShmFabric fabric;
    private final ControlSocket socket;
    private final String peerName;
    private final Endpoint peerEndpoint;
    private final SharedFile linkFile;
    private final LinkFile link;
    private final List<AutoCloseable> mappings = new ArrayList<>();
    private final LinkFile peerLink;
    private final RemoteRegions remoteRegions;
    private final List<QueuePair> queuePairs;

    private State state = State.OPEN;
    private volatile String lostCause;

    /** Maps what the peer shares. Takes the link file and the socket over if it succeeds. */
    ShmConnection(ShmFabric fabric, ControlSocket socket, SharedFile linkFile, List<QueuePairOptions> options,
            Hello peer)
            throws PeerFileException, IOException {
        this.fabric = fabric;
        this.socket = socket;
        this.linkFile = linkFile;
        peerName = peer.name();
        String host = peer.listening().host();
        peerEndpoint = host.equals("0.0.0.0") || host.equals("::")
                ? new Endpoint(socket.remoteHost(), peer.listening().port())
                : peer.listening();
        link = new LinkFile(linkFile.memory(), receiveDepths(options));
        try {
            SharedMapping fabricMapping = mapped(peer.pid(), peer.fabricFile(), FabricFile.BYTE_SIZE);
            SharedMapping linkMapping = mapped(peer.pid(), peer.linkFile(), LinkFile.byteSize(peer.receiveDepths()));
            if (!FabricFile.isValid(fabricMapping.memory()) || !LinkFile.isValid(linkMapping.memory())) {
                throw new PeerFileException(Libc.EINVAL, "its shared memory has another layout; use the same Verbena on"
                        + " both sides");
            }
            peerLink = new LinkFile(linkMapping.memory(), peer.receiveDepths());
            remoteRegions = new RemoteRegions(peer.pid(), FabricFile.regions(fabricMapping.memory()));
            mappings.add(remoteRegions);
            List<QueuePair> made = new ArrayList<>();
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

    private SharedMapping mapped(long pid, FileIdentity file, long byteSize) throws PeerFileException {
        SharedMapping mapping = SharedMapping.mapPeer(pid, file, byteSize);
        mappings.add(mapping);
        return mapping;
    }

    static int[] receiveDepths(List<QueuePairOptions> options) {
        return options.stream().mapToInt(QueuePairOptions::receiveDepth).toArray();
    }

    /** As messages name it. */
    String peer() {
        return peerEndpoint.port() == 0 ? "peer " + peerName : "peer " + peerName + " (" + peerEndpoint + ")";
    }

    @Override
    public String peerName() {
        return peerName;
    }

    @Override
    public Endpoint peerEndpoint() {
        return peerEndpoint;
    }

    @Override
    public List<QueuePair> queuePairs() {
        return queuePairs;
    }

    @Override
    public String lostCause() {
        return lostCause;
    }

    @Override
    public ControlSocket socket() {
        return socket;
    }

    /** Lets the pollers see the queue pairs. */
    void attach() {
        for (QueuePair queuePair : queuePairs) {
            ((ShmQueuePair) queuePair).completionQueue().attach((ShmQueuePair) queuePair);
        }
    }

    // ---- the control thread's part ----

    /** Something came over the control socket, or it ended. */
    @Override
    public void onReady() {
        try {
            boolean isAlive = socket.receive();
            for (Frame frame = socket.next(); frame != null; frame = socket.next()) {
                if (frame.type() != Frame.Type.SWEEP) {
                    throw new ProtocolException("unexpected " + frame.type());
                }
                sweep();
            }
            if (!isAlive) {
                onPeerGone();
            }
        } catch (IOException e) {
            onPeerGone();
        } catch (ProtocolException e) {
            lose(false, peer() + " broke the protocol: " + e.getMessage());
        }
    }

    private synchronized void sweep() {
        if (state == State.OPEN) {
            peerLink.acceptSweep();
            remoteRegions.sweep();
        }
    }

    /** A fabric that closes closes its connections itself; otherwise something is wrong here. */
    @Override
    public void onEnd() {
        if (fabric.isOpen()) {
            lose(false, peer() + " is not watched any more after an internal error");
        }
    }

    private void onPeerGone() {
        int farewell;
        String text;
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            farewell = peerLink.farewellAcquire();
            text = peerLink.farewellText();
        }
        boolean hasLeft = farewell != LinkFile.FAREWELL_NONE;
        lose(farewell == LinkFile.FAREWELL_BYE, peer() + " " + (hasLeft ? text : "died"));
    }

    private void lose(boolean orderly, String cause) {
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            move(State.LOST);
            lostCause = cause;
            for (QueuePair queuePair : queuePairs) {
                ((ShmQueuePair) queuePair).lose(cause);
            }
        }
        socket.close();
        for (QueuePair queuePair : queuePairs) {
            ((ShmQueuePair) queuePair).completionQueue().signal();
        }
        LOGGER.debug("lost: {}", cause);
        fabric.onLost(this, orderly, cause);
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException(this + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    /** The peer shall unmap what was deregistered here. */
    void requestSweep() {
        synchronized (this) {
            if (state != State.OPEN || !link.requestSweep()) {
                return;
            }
        }
        try {
            socket.send(Frame.Type.SWEEP);
        } catch (IOException e) {
            LOGGER.trace("the peer is gone, and so are its mappings; the control thread sees it too", e);
        }
    }

    // ---- ends ----

    @Override
    public void abort(String cause) {
        end(LinkFile.FAREWELL_ABORT, "failed: " + cause);
    }

    @Override
    public void close() {
        end(LinkFile.FAREWELL_BYE, "closed the connection");
    }

    private void end(int farewell, String text) {
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            move(State.CLOSED);
            link.sayFarewellRelease(farewell, text);
        }
        for (QueuePair queuePair : queuePairs) {
            ShmQueuePair pair = (ShmQueuePair) queuePair;
            pair.completionQueue().detach(pair);
            pair.close(text);
        }
        socket.close();
        fabric.forget(this);
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

    @Override
    public String toString() {
        return "connection to " + peer();
    }
}
