package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.PeerMemory;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * One side of a connection.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> confined to the simulation.
 */
final class SimConnection implements Connection {
    /** Only downwards in this list. */
    private enum State {
        /** The peer has been welcomed and has not said yet that it is ready; the handler does not know of it. */
        WELCOMED,
        /** Both sides are there. */
        OPEN,
        /** The peer is gone; what arrived can still be polled. */
        LOST,
        /** This side has closed it. */
        CLOSED
    }

    /** A longer text of a peer is cut. */
    private static final int TEXT_LENGTH_MAX = 16_384;

    private final Simulation simulation;
    private final SimFabric fabric;
    private final SimFabric peerFabric;
    private final String peerName;
    private final Endpoint peerEndpoint;
    private final Lane control;
    private final List<SimQueuePair> queuePairs = new ArrayList<>();
    private State state = State.WELCOMED;
    /** Null while only this side is made. */
    private SimConnection peer;
    private String lostCause;
    private boolean isSevered;
    private boolean isFailureTold;
    /** What the peer does when it is certain that nothing of this side's lands any more. */
    private Runnable whenClosed;
    /** Regions of the peer that are mapped here. */
    private int mappings;

    SimConnection(Simulation simulation, SimFabric fabric, SimFabric peerFabric, List<QueuePairOptions> options) {
        this.simulation = simulation;
        this.fabric = fabric;
        this.peerFabric = peerFabric;
        peerName = peerFabric.localName();
        Endpoint listening = peerFabric.listening();
        boolean isAnyHost = listening.host().equals("0.0.0.0") || listening.host().equals("::");
        peerEndpoint = isAnyHost ? new Endpoint("127.0.0.1", listening.port()) : listening;
        control = new Lane(simulation);
        for (int i = 0; i < options.size(); i++) {
            queuePairs.add(new SimQueuePair(simulation, fabric, this, i, options.get(i)));
        }
    }

    /** Both are made: from now on they can talk. */
    void join(SimConnection peer) {
        this.peer = peer;
        peer.peer = this;
    }

    /** Its user gets to know it. */
    void open() {
        move(State.OPEN);
    }

    boolean isWelcomed() {
        return state == State.WELCOMED;
    }

    @Override
    public String peerName() {
        return peerName;
    }

    @Override
    public Endpoint peerEndpoint() {
        return peerEndpoint;
    }

    /** As messages name it. */
    String peerInWords() {
        return "peer " + peerName + (peerEndpoint.port() == 0 ? "" : " (" + peerEndpoint + ")");
    }

    @Override
    public List<QueuePair> queuePairs() {
        return List.copyOf(queuePairs);
    }

    SimQueuePair queuePair(int index) {
        return queuePairs.get(index);
    }

    SimConnection peer() {
        return peer;
    }

    /** Whether it breaks when this one is cut off. */
    boolean crosses(SimFabric cut) {
        return fabric != peerFabric && (fabric == cut || peerFabric == cut);
    }

    boolean leadsTo(SimFabric other) {
        return peerFabric == other;
    }

    /** Whether nothing gets through at present, or something has been lost before this side was there. */
    boolean isBroken() {
        return isCut() || peer != null && peer.isSevered;
    }

    private boolean isCut() {
        return fabric.process().isCutFrom(peerFabric.process());
    }

    /** What its device sends is lost; no device sends the rest behind a gap. */
    void sever() {
        isSevered = true;
    }

    /** In vain the devices have tried to reach each other. */
    void giveUp() {
        fabric.process().hear(() -> lose(false, peerInWords() + " does not answer"));
    }

    /** The peer's process has stood still for too long. It is told, but hears that only when it goes on. */
    void giveUpSilentPeer() {
        if (state == State.OPEN) {
            tell(fabric + " gives up", other -> other.lose(false, other.peerInWords() + " gave this process up"));
            lose(false, peerInWords() + " was given up: no answer");
        }
    }

    /** Its user knows that it has failed, from a completion, from the handler, or since it was the user who failed it. */
    void onFailureTold() {
        isFailureTold = true;
    }

    boolean isFailureTold() {
        return isFailureTold;
    }

    @Override
    public String lostCause() {
        return lostCause;
    }

    boolean reachesPeer() {
        return peer != null && !isSevered && !peer.isSevered && fabric.process().reaches(peerFabric.process());
    }

    /** Sends something over the control path, on which nothing overtakes. */
    void tell(String what, Consumer<SimConnection> message) {
        send(what, () -> {
            if (peer != null) {
                message.accept(peer);
            }
        });
    }

    /** The same, to a peer that may not have its side yet. */
    void send(String what, Runnable message) {
        control.send(what, () -> {
            // What was said before its process died still arrives.
            if (!isCut()) {
                peerFabric.process().hear(message);
            }
        });
    }

    /** The peer is gone, or out of reach. Idempotent. */
    void lose(boolean orderly, String cause) {
        if (state == State.WELCOMED) {
            end(null, null);
        } else if (state == State.OPEN) {
            move(State.LOST);
            lostCause = cause;
            onFailureTold();
            queuePairs.forEach(each -> each.lose(cause));
            fabric.onLost(this, orderly, cause);
        }
    }

    @Override
    public PeerMemory mapPeer(long rkey) {
        return mapPeer(rkey, AccessRight.REMOTE_WRITE, "write to");
    }

    @Override
    public PeerMemory mapPeerForReading(long rkey) {
        return mapPeer(rkey, AccessRight.REMOTE_READ, "read");
    }

    private PeerMemory mapPeer(long rkey, AccessRight right, String what) {
        fabric.checkThread();
        if (!fabric.capabilities().mapsPeerMemory()) {
            throw new UnsupportedOperationException("this fabric cannot map memory of peers: no-peer-memory=1");
        }
        if (state != State.OPEN || peer == null || peer.state == State.CLOSED) {
            throw new TransferException(
                    "memory of " + peerInWords() + " cannot be mapped: the connection is lost or closed");
        }
        SimRegion region = peerFabric.memory().find(rkey);
        if (region == null || !region.rights().contains(right)) {
            throw new TransferException(peerInWords() + " has no region rkey=" + rkey + " that peers may " + what);
        }
        mappings++;
        return new SimPeerMemory(fabric, this, region, right == AccessRight.REMOTE_READ);
    }

    void onUnmapped() {
        mappings--;
        tellQuiet();
    }

    @Override
    public void whenQuiet(Runnable then) {
        boolean isClosedThere = peer == null || peer.state == State.CLOSED;
        boolean isMappedThere = peer != null && peer.mappings > 0;
        if (isMappedThere || fabric.mayBeWrittenAfterClosing() && !isClosedThere) {
            peer.whenClosed = fabric.hearsOnce(then);
        } else {
            then.run();
        }
    }

    /** If this side writes nothing any more. */
    private void tellQuiet() {
        if (state == State.CLOSED && mappings == 0 && whenClosed != null) {
            Runnable told = whenClosed;
            whenClosed = null;
            simulation.later(this + " has stopped writing", () -> peerFabric.process().hear(told));
        }
    }

    @Override
    public void abort(String cause) {
        String text = cause.length() > TEXT_LENGTH_MAX ? cause.substring(0, TEXT_LENGTH_MAX) : cause;
        end(false, "failed: " + text);
    }

    @Override
    public void close() {
        end(true, "closed the connection");
    }

    /** @param text null if nobody is to be told */
    private void end(Boolean orderly, String text) {
        fabric.checkThread();
        if (state == State.CLOSED) {
            return;
        }
        boolean isPeerThere = state != State.LOST;
        move(State.CLOSED);
        queuePairs.forEach(SimQueuePair::close);
        fabric.forget(this);
        tellQuiet();
        if (isPeerThere && text != null) {
            tell("farewell of " + fabric, other -> other.lose(orderly, other.peerInWords() + " " + text));
        }
    }

    /** Its process has died; the peer hears of that behind all that was said before. */
    void die() {
        if (state == State.CLOSED) {
            return;
        }
        end(null, null);
        tell("death of " + fabric, other -> other.lose(false, other.peerInWords() + " died"));
    }

    private void move(State next) {
        if (next.ordinal() <= state.ordinal()) {
            throw new IllegalStateException(this + " cannot move from " + state + " to " + next);
        }
        state = next;
    }

    /** The same in each run, so that maps of them are. */
    @Override
    public int hashCode() {
        return queuePairs.getFirst().hashCode();
    }

    @Override
    public boolean equals(Object other) {
        return this == other;
    }

    @Override
    public String toString() {
        return "connection of " + fabric + " to " + peerInWords();
    }
}
