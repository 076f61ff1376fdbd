package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.Connection;

/**
 * A connection that hears of its peer over a control socket, whose end tells that the peer died. A peer that is stopped, or whose machine
 * hangs, says nothing: so it is asked at each beat of the control thread, and given up when it has not answered for some of them. Its
 * control thread answers, whatever its program does.
 *
 * <p>A side ends its half of the socket when it has closed its queue pairs and released what it held of the peer, and not before; if it dies,
 * the kernel does. So the end of the other half tells each side that the peer does nothing to its memory any more, and a connection that is
 * closed keeps its socket for so long.
 *
 * <pre>
 *                 this side is done              the peer's half has ended
 *   both talk ───────────────────────► half ───────────────────────────────► closed          (or the other way round)
 * </pre>
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

    /** So many beats in a row without a word: the peer is given up. Beats and not time, since without them this process stood still too. */
    private static final int SILENT_BEATS_MAX = 4;

    private final ControlledFabric fabric;
    private final ControlSocket socket;
    private final String peerName;
    private final Endpoint peerEndpoint;
    /** Guarded by this. */
    private State state = State.OPEN;
    /** Whether its own half of the socket is to end, or has: its queue pairs are closed. Guarded by this. */
    private boolean isDone;
    /** Whether the peer's half has ended. Guarded by this. */
    private boolean hasPeerEnded;
    /** Guarded by this. */
    private final List<Runnable> whenPeerEnded = new ArrayList<>();
    private volatile String lostCause;
    // Of the control thread: whether the peer has said anything since the last beat, and how many beats before it had not.
    private boolean hasSpoken = true;
    private int silentBeats;

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
     * Calls it once, on any thread: with null when this side reaches the peer, or with the reason why it never will. It may be that only the
     * peer knows yet that both are connected.
     */
    protected void whenReachable(Consumer<String> then) {
        then.accept(null);
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

    /** The peer stops at most one beat before the first one that counts. */
    static long beatNs(int peerTimeoutMs) {
        return peerTimeoutMs == 0 ? Long.MAX_VALUE
                : TimeUnit.MILLISECONDS.toNanos(peerTimeoutMs) / (SILENT_BEATS_MAX + 1);
    }

    /** Something came over the control socket, or it ended. */
    @Override
    public final void onReady() {
        try {
            boolean isAlive = socket.receive();
            takeFrames();
            if (!isAlive) {
                onPeerEnd();
            }
        } catch (IOException e) {
            onPeerEnd();
        } catch (ProtocolException e) {
            lose(false, peer() + " broke the protocol: " + e.getMessage());
        }
    }

    private void takeFrames() throws ProtocolException {
        for (Frame frame = nextFrame(); frame != null; frame = nextFrame()) {
            hasSpoken = true;
            switch (frame.type()) {
                case PING -> say(Frame.Type.PONG);
                case PONG -> {
                }
                // This side was connected already, the peer not yet.
                case REFUSE -> lose(false, peer() + " refused: " + ControlSocket.refusal(frame));
                default -> onFrame(frame);
            }
        }
    }

    /** What a lost peer says is of no interest. */
    private Frame nextFrame() throws ProtocolException {
        if (isTalking()) {
            return socket.next();
        }
        socket.discard();
        return null;
    }

    private synchronized boolean isTalking() {
        return isOpen();
    }

    private void onPeerEnd() {
        boolean isClosed;
        synchronized (this) {
            if (hasPeerEnded) {
                return;
            }
            hasPeerEnded = true;
            isClosed = isDone;
        }
        if (isClosed) {
            socket.close();
        } else {
            fabric.watchNoMore(this);
        }
        onSocketEnd();
        whenPeerEnded.forEach(Runnable::run);
    }

    /** Runs it when the peer has closed its queue pairs and released what it held of this side, or is dead. */
    protected final void whenPeerEnded(Runnable then) {
        synchronized (this) {
            if (!hasPeerEnded) {
                whenPeerEnded.add(then);
                return;
            }
        }
        then.run();
    }

    @Override
    public final void onBeat() {
        if (!isTalking()) {
            return;
        }
        // What came while this process stood still counts.
        onReady();
        silentBeats = hasSpoken ? 0 : silentBeats + 1;
        hasSpoken = false;
        if (silentBeats == SILENT_BEATS_MAX) {
            giveUp();
        } else {
            say(Frame.Type.PING);
        }
    }

    private void say(Frame.Type type) {
        try {
            socket.send(type);
        } catch (IOException e) {
            LOGGER.trace("the peer is gone, or will be given up", e);
        }
    }

    private void giveUp() {
        String silence = "no answer for peerTimeoutMs=" + fabric.peerTimeoutMs();
        synchronized (this) {
            if (state == State.OPEN) {
                sayFarewell(false, "gave this process up: " + silence);
            }
        }
        lose(false, peer() + " was given up: " + silence + "; it is stopped, or its machine hangs");
    }

    /** A fabric that closes closes its connections itself, and next all memory; otherwise something is wrong here. */
    @Override
    public final void onEnd() {
        if (fabric.isOpen()) {
            lose(false, peer() + " is not watched any more after an internal error");
        } else {
            onPeerEnd();
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
        fabric.forget(this);
        release();
        whenNothingIsMapped(this::endOwnHalf);
    }

    /** Runs it once no memory of the peer is mapped for users any more; on any thread. */
    protected void whenNothingIsMapped(Runnable then) {
        then.run();
    }

    private void endOwnHalf() {
        boolean isLast;
        synchronized (this) {
            isDone = true;
            isLast = hasPeerEnded;
        }
        if (isLast) {
            socket.close();
        } else {
            socket.hangUp();
        }
    }

    @Override
    public final String toString() {
        return "connection to " + peer();
    }
}
