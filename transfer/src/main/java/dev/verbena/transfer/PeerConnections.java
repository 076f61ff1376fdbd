package dev.verbena.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.Poller;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.RpcMethods;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The connections of a device: made on demand to a remote endpoint, or accepted. The queue pairs of a peer are spread over the
 * pollers round-robin (EuroSys'19 §3.1, Figure 4).
 *
 * <p><b>Owner:</b> {@link RdmaDevice}. <b>Threading:</b> thread-safe; the handler methods come on the fabric's control thread.
 */
final class PeerConnections implements ConnectionHandler {
    private static final long RECEIVER_NOT_READY_TIMEOUT_NS = 10_000_000_000L;

    private final Fabric fabric;
    private final List<Poller> pollers;
    private final RdmaDeviceOptions options;
    private final RpcMethods methods;
    private final ReceiverDirectory receivers;
    private final TensorArena controlArena;
    private final Runnable onChange;

    private final ConcurrentHashMap<Endpoint, PeerConnection> outgoing = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Connection, PeerConnection> all = new ConcurrentHashMap<>();
    /** Lost, and not closed yet. */
    private final Set<PeerConnection> retiring = ConcurrentHashMap.newKeySet();
    private final CopyOnWriteArrayList<Consumer<String>> lostListeners = new CopyOnWriteArrayList<>();
    /** Guarded by {@code all}. */
    private boolean isClosed;
    /** Why this process gives up; null while it does not. Guarded by {@code all}. */
    private String abortCause;
    private int nextPoller;

    PeerConnections(Fabric fabric, List<Poller> pollers, RdmaDeviceOptions options, RpcMethods methods,
            ReceiverDirectory receivers, TensorArena controlArena, Runnable onChange) {
        this.fabric = fabric;
        this.pollers = pollers;
        this.options = options;
        this.methods = methods;
        this.receivers = receivers;
        this.controlArena = controlArena;
        this.onChange = onChange;
    }

    /** The connection to that endpoint; made now if there is none. A lost one is never used again. */
    PeerConnection to(Endpoint remote) {
        PeerConnection present = outgoing.get(remote);
        if (present != null && present.failure() == null) {
            return present;
        }
        synchronized (outgoing) {
            PeerConnection other = outgoing.get(remote);
            if (other != null && other.failure() == null) {
                return other;
            }
            List<QueuePairOptions> queuePairs = queuePairOptions(options.queuePairsPerPeer() + 1);
            PeerConnection made = adopt(fabric.connect(remote, queuePairs, RdmaDevice.CONNECT_TIMEOUT.toNanos()));
            if (made == null) {
                throw new TransferException(
                        "device '" + options.name() + "' was closed or gave up while it connected to " + remote);
            }
            outgoing.put(remote, made);
            return made;
        }
    }

    void addLostListener(Consumer<String> listener) {
        lostListeners.add(listener);
    }

    void abort(String cause) {
        synchronized (all) {
            if (abortCause == null) {
                abortCause = cause;
            }
        }
        fabric.abort(cause);
        all.values().forEach(peer -> peer.abort(cause));
        onChange.run();
    }

    /** After the pollers stopped. */
    void close() {
        List<PeerConnection> left;
        synchronized (all) {
            isClosed = true;
            left = new ArrayList<>(all.values());
            left.addAll(retiring);
        }
        left.forEach(PeerConnection::close);
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        return queuePairOptions(queuePairCount);
    }

    @Override
    public void onAccepted(Connection connection) {
        adopt(connection);
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        PeerConnection peer = all.get(connection);
        if (peer != null) {
            retire(peer, cause);
        }
        if (!orderly) {
            lostListeners.forEach(listener -> listener.accept(cause));
        }
        onChange.run();
    }

    /** @return null if the device is closed or gives up, and so the connection is closed */
    private PeerConnection adopt(Connection connection) {
        List<Poller> its = connection.queuePairs().stream().map(queuePair -> pollers.stream()
                .filter(poller -> poller.owns(queuePair.completionQueue())).findFirst().orElseThrow()).toList();
        PeerConnection peer;
        synchronized (all) {
            if (isClosed) {
                connection.close();
                return null;
            }
            if (abortCause != null) {
                connection.abort(abortCause);
                return null;
            }
            peer = new PeerConnection(connection, its, options.queueDepth(), methods, receivers, controlArena);
            all.put(connection, peer);
        }
        String lost = connection.lostCause();
        if (lost != null) {
            retire(peer, lost);
        }
        return peer;
    }

    /** From the control thread, or from who made the connection when it was lost at once; either, or both. */
    private void retire(PeerConnection peer, String cause) {
        synchronized (all) {
            if (!all.remove(peer.connection(), peer)) {
                return;
            }
            retiring.add(peer);
        }
        peer.fail(cause);
        outgoing.values().remove(peer);
        peer.retire(() -> retiring.remove(peer));
    }

    private synchronized List<QueuePairOptions> queuePairOptions(int count) {
        List<QueuePairOptions> queuePairs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Poller poller = pollers.get(nextPoller++ % pollers.size());
            QueuePairOptions queuePair = new QueuePairOptions(poller.completionQueue(), options.queueDepth(),
                    PeerConnection.receiveDepth(i, options.queueDepth()), RECEIVER_NOT_READY_TIMEOUT_NS);
            // Tensors' views are gathered by as many elements as the device has; the RPC's messages are one.
            queuePairs.add(i == 0 ? queuePair
                    : queuePair.withElementCountMax(fabric.capabilities().elementCountMax()));
        }
        return queuePairs;
    }
}
