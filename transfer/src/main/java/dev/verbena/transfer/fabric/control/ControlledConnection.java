package dev.verbena.transfer.fabric.control;

import java.io.IOException;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.Connection;

/**
 * A connection that hears of its peer over a control socket, whose end tells that the peer died.
 *
 * <p>Not to be closed from inside a completion handler when its queue pairs are spread over several completion queues.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> as {@link Connection}; watched on the control thread.
 */
public abstract class ControlledConnection implements Connection, ControlLoop.Watcher {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlledConnection.class);

    /** Only downwards in this list. */
    private enum State {
        /** Both sides are there. */
        OPEN,
        /** The peer is gone; what arrived can still be polled. */
        LOST,
        /** This side has closed it. */
        CLOSED
    }

    private final ControlledFabric fabric;
    private final ControlSocket socket;
    private final String peerName;
    private final Endpoint peerEndpoint;
    /** Guarded by this. */
    private State state = State.OPEN;
    private volatile String lostCause;

    /** With a peer that says of itself that it listens there. */
    protected ControlledConnection(ControlledFabric fabric, ControlSocket socket, String peerName,
            Endpoint peerListening) throws IOException {
        this.fabric = fabric;
        this.socket = socket;
        this.peerName = peerName;
        String host = peerListening.host();
        peerEndpoint = host.equals("0.0.0.0") || host.equals("::")
                ? new Endpoint(socket.remoteHost(), peerListening.port())
                : peerListening;
    }

    /** Called once, when it is known to the fabric: pollers may see its queue pairs. */
    protected abstract void attach();

    /**
     * Calls it, on any thread, once this side reaches the peer: it may be that only the peer knows yet that both are connected.
     */
    protected void whenReachable(Runnable then) {
        then.run();
    }

    /** A frame of the peer's. */
    protected abstract void onFrame(Frame frame) throws ProtocolException;

    /** The socket is at its end, with or without a farewell before: {@link #lose} is due. */
    protected abstract void onSocketEnd();

    /** The peer is gone; called while guarded by this. */
    protected abstract void loseQueuePairs(String cause);

    /** Tells the peer, which is still there, that this side leaves, and why. */
    protected abstract void sayFarewell(boolean orderly, String text);

    /** Called once, after the farewell. */
    protected abstract void closeQueuePairs(String text);

    /** Called once, at the very end. */
    protected abstract void release();

    /** As messages name it. */
    public final String peer() {
        return peerEndpoint.port() == 0 ? "peer " + peerName : "peer " + peerName + " (" + peerEndpoint + ")";
    }

    @Override
    public final String peerName() {
        return peerName;
    }

    @Override
    public final Endpoint peerEndpoint() {
        return peerEndpoint;
    }

    @Override
    public final String lostCause() {
        return lostCause;
    }

    protected final ControlSocket socket() {
        return socket;
    }

    /** Whether both sides are there; to be asked while guarded by this. */
    protected final boolean isOpen() {
        return state == State.OPEN;
    }

    /** Something came over the control socket, or it ended. */
    @Override
    public final void onReady() {
        try {
            boolean isAlive = socket.receive();
            for (Frame frame = socket.next(); frame != null; frame = socket.next()) {
                onFrame(frame);
            }
            if (!isAlive) {
                onSocketEnd();
            }
        } catch (IOException e) {
            onSocketEnd();
        } catch (ProtocolException e) {
            lose(false, peer() + " broke the protocol: " + e.getMessage());
        }
    }

    /** A fabric that closes closes its connections itself; otherwise something is wrong here. */
    @Override
    public final void onEnd() {
        if (fabric.isOpen()) {
            lose(false, peer() + " is not watched any more after an internal error");
        }
    }

    /** Idempotent. */
    protected final void lose(boolean orderly, String cause) {
        synchronized (this) {
            if (state != State.OPEN) {
                return;
            }
            move(State.LOST);
            lostCause = cause;
            loseQueuePairs(cause);
        }
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

    @Override
    public final void abort(String cause) {
        end(false, "failed: " + cause);
    }

    @Override
    public final void close() {
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
            sayFarewell(orderly, text);
        }
        closeQueuePairs(text);
        socket.close();
        fabric.forget(this);
        release();
    }

    @Override
    public final String toString() {
        return "connection to " + peer();
    }
}
