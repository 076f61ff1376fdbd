package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.ControlSocket;
import dev.verbena.transfer.fabric.control.ControlledConnection;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.QueuePair;

/**
 * A connection: queue pairs, and the control socket over which both sides tell why something failed and that they
 * leave, and whose end tells that the peer died.
 *
 * <p>Not to be closed from inside a completion handler when its queue pairs are spread over several completion queues.
 *
 * <p>Threading: thread-safe.
 */
final class VerbsConnection implements ControlledConnection {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsConnection.class);
    private static final int FAREWELL_BYTE_SIZE_MAX = 4096;

    /** Only downwards in this list. */
    private enum State {
        /** Both sides are there. */
        OPEN,
        /** The peer is gone; what arrived can still be polled. */
        LOST,
        /** This side has closed it. */
        CLOSED
    }

    private final VerbsFabric fabric;
    private final ControlSocket socket;
    private final List<VerbsQueuePair> queuePairs;
    private final String peerName;
    private final Endpoint peerEndpoint;

    private State state = State.OPEN;
    private volatile String lostCause;

    VerbsConnection(VerbsFabric fabric, ControlSocket socket, List<VerbsQueuePair> queuePairs, VerbsHello peer)
            throws IOException {
        this.fabric = fabric;
        this.socket = socket;
        this.queuePairs = queuePairs;
        peerName = peer.name();
        String host = peer.listening().host();
        peerEndpoint = host.equals("0.0.0.0") || host.equals("::")
                ? new Endpoint(socket.remoteHost(), peer.listening().port())
                : peer.listening();
        queuePairs.forEach(queuePair -> queuePair.belongTo(this));
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
        return List.copyOf(queuePairs);
    }

    @Override
    public String lostCause() {
        return lostCause;
    }

    @Override
    public ControlSocket socket() {
        return socket;
    }

    /** Called by the pollers when a queue pair failed. A peer that is gone needs to hear nothing. */
    void send(Frame.Type type, ByteBuffer payload) {
        try {
            socket.send(type, payload);
        } catch (IOException e) {
            LOGGER.trace("the peer is gone; the control thread sees it too", e);
        }
    }

    // ---- the control thread's part ----

    /** Something came over the control socket, or it ended. */
    @Override
    public void onReady() {
        try {
            boolean isAlive = socket.receive();
            for (Frame frame = socket.next(); frame != null; frame = socket.next()) {
                onFrame(frame);
            }
            if (!isAlive) {
                lose(false, peer() + " died");
            }
        } catch (IOException e) {
            lose(false, peer() + " died");
        } catch (ProtocolException e) {
            lose(false, peer() + " broke the protocol: " + e.getMessage());
        }
    }

    private void onFrame(Frame frame) throws ProtocolException {
        switch (frame.type()) {
            case FAILED -> {
                FailedRequest failed = FailedRequest.decode(frame.payload(), queuePairs.size());
                queuePairs.get(failed.queuePair()).peerAsks(failed);
            }
            case FINDING -> {
                Finding finding = Finding.decode(frame.payload(), queuePairs.size());
                queuePairs.get(finding.queuePair()).peerTells(finding.text());
            }
            case FAREWELL -> onFarewell(frame.payload());
            default -> throw new ProtocolException("unexpected " + frame.type());
        }
    }

    private void onFarewell(ByteBuffer payload) throws ProtocolException {
        if (!payload.hasRemaining()) {
            throw new ProtocolException("malformed farewell");
        }
        boolean orderly = payload.get() != 0;
        String text = StandardCharsets.UTF_8.decode(payload).toString().replaceAll("\\p{Cntrl}", " ");
        lose(orderly, peer() + " " + text);
    }

    /** A fabric that closes closes its connections itself; otherwise something is wrong here. */
    @Override
    public void onEnd() {
        if (fabric.isOpen()) {
            lose(false, peer() + " is not watched any more after an internal error");
        }
    }

    private void lose(boolean orderly, String cause) {
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            move(State.LOST);
            lostCause = cause;
        }
        queuePairs.forEach(queuePair -> queuePair.lose(cause));
        socket.close();
        LOGGER.debug("lost: {}", cause);
        fabric.onLost(this, orderly, cause);
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException(this + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    // ---- ends ----

    @Override
    public void abort(String cause) {
        end(false, "failed: " + cause);
    }

    @Override
    public void close() {
        end(true, "closed the connection");
    }

    private void end(boolean orderly, String text) {
        boolean isPeerThere;
        synchronized (this) {
            if (state == State.CLOSED) {
                return;
            }
            isPeerThere = state == State.OPEN;
            move(State.CLOSED);
        }
        if (isPeerThere) {
            byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
            int byteSize = Math.min(bytes.length, FAREWELL_BYTE_SIZE_MAX);
            send(Frame.Type.FAREWELL,
                    ByteBuffer.allocate(1 + byteSize).put((byte) (orderly ? 1 : 0)).put(bytes, 0, byteSize).flip());
        }
        queuePairs.forEach(VerbsQueuePair::destroy);
        socket.close();
        fabric.forget(this);
    }

    @Override
    public String toString() {
        return "connection to " + peer();
    }
}
