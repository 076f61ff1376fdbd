package dev.verbena.transfer;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Future;
import java.util.function.Consumer;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.events.ConnectionFailedEvent;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.RpcMethods;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Edge;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The connections of a device: made on demand to a remote endpoint, or accepted. The queue pairs of a peer are spread over the
 * engines round-robin (EuroSys'19 §3.1, Figure 4).
 *
 * <p><b>Owner:</b> {@link RdmaDevice}. <b>Threading:</b> thread-safe; the handler methods come on the fabric's control thread.
 */
final class PeerConnections implements ConnectionHandler {
    /** Far more than a peer that drives by itself computes, or starts, without looking: one that stands still is told of by its silence. */
    private static final long RECEIVER_NOT_READY_TIMEOUT_NS = 120_000_000_000L;

    /** Who sleeps on a completion queue is not woken by an interrupt: so it looks now and then. */
    private static final long LOOK_NS = 50_000_000L;

    private final Fabric fabric;
    private final Engines engines;
    private final RdmaDeviceOptions options;
    private final RpcMethods methods;
    private final ReceiverDirectory receivers;
    private final TensorArena messageArena;
    private final Edge edge;

    /** Made or being made. */
    private final ConcurrentHashMap<Endpoint, CompletableFuture<PeerConnection>> outgoing = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<Connection, PeerConnection> all = new ConcurrentHashMap<>();
    /** Those that the peers made; they count until their memory is free. Added to when guarded by {@code all}. */
    private final Set<PeerConnection> accepted = ConcurrentHashMap.newKeySet();
    /** Failed, and not closed yet. */
    private final ConcurrentLinkedQueue<PeerConnection> ending = new ConcurrentLinkedQueue<>();
    private final CopyOnWriteArrayList<Consumer<String>> lostListeners = new CopyOnWriteArrayList<>();
    /** Guarded by {@code all}. */
    private boolean isClosed;
    /** Why this process gives up; null while it does not. Guarded by {@code all}. */
    private String abortCause;
    private int nextEngine;

    PeerConnections(Fabric fabric, Engines engines, RdmaDeviceOptions options, RpcMethods methods,
            ReceiverDirectory receivers, TensorArena messageArena, Edge edge) {
        this.fabric = fabric;
        this.engines = engines;
        this.options = options;
        this.methods = methods;
        this.receivers = receivers;
        this.messageArena = messageArena;
        this.edge = edge;
    }

    /**
     * The connection to that endpoint, when it is made; it is begun now if there is none. A failed one is never used again.
     *
     * @return which ends in time, with the connection or a {@link TransferException}; on a thread that must not wait
     */
    CompletableFuture<PeerConnection> connect(Endpoint remote) {
        while (true) {
            CompletableFuture<PeerConnection> mine = new CompletableFuture<>();
            CompletableFuture<PeerConnection> present = outgoing.putIfAbsent(remote, mine);
            if (present == null) {
                begin(remote, mine);
                return mine;
            }
            if (present.state() != Future.State.SUCCESS || present.resultNow().failure() == null) {
                return present;
            }
            outgoing.remove(remote, present);
        }
    }

    /** The same for a thread that waits. */
    PeerConnection to(Endpoint remote) {
        CompletableFuture<PeerConnection> made = connect(remote);
        while (!engines.await(made::isDone, LOOK_NS)) {
            if (engines.isDriving()) {
                throw new IllegalStateException("a callback or a handler must not wait until device '" + options.name()
                        + "' is connected to " + remote + "; use channelAsync");
            }
            if (Thread.currentThread().isInterrupted()) {
                throw new TransferException(
                        "interrupted while device '" + options.name() + "' connected to " + remote);
            }
        }
        if (made.isCompletedExceptionally()) {
            throw new TransferException(made.exceptionNow().getMessage(), made.exceptionNow());
        }
        return made.join();
    }

    private void begin(Endpoint remote, CompletableFuture<PeerConnection> made) {
        try {
            checkOpen(remote);
            List<QueuePairOptions> queuePairs = queuePairOptions(options.queuePairsPerPeer() + 1);
            fabric.connect(remote, queuePairs, RdmaDevice.CONNECT_TIMEOUT.toNanos(), new ConnectHandler() {
                @Override
                public void onConnected(Connection connection) {
                    onMade(remote, connection, made);
                }

                @Override
                public void onFailed(TransferException cause) {
                    fail(remote, made, cause);
                }
            });
        } catch (RuntimeException e) {
            fail(remote, made, e);
        }
    }

    private void onMade(Endpoint remote, Connection connection, CompletableFuture<PeerConnection> made) {
        try {
            PeerConnection peer = adopt(connection, false);
            if (peer == null) {
                checkOpen(remote);
            }
            made.complete(peer);
            engines.announce();
        } catch (RuntimeException e) {
            fail(remote, made, e);
        }
    }

    private void fail(Endpoint remote, CompletableFuture<PeerConnection> made, RuntimeException cause) {
        outgoing.remove(remote, made);
        made.completeExceptionally(cause);
        engines.announce();
    }

    private void checkOpen(Endpoint remote) {
        synchronized (all) {
            if (isClosed || abortCause != null) {
                throw new TransferException(
                        "device '" + options.name() + "' " + (isClosed ? "is closed" : "gave up: " + abortCause)
                                + "; it does not connect to " + remote);
            }
        }
    }

    void addLostListener(Consumer<String> listener) {
        lostListeners.add(listener);
    }

    /** Tells each peer, then those that are just connecting. */
    void abort(String cause) {
        List<PeerConnection> left;
        synchronized (all) {
            if (abortCause == null) {
                abortCause = cause;
            }
            left = takeAll();
        }
        endConnecting();
        left.forEach(peer -> peer.abort(cause));
        fabric.abort(cause);
        engines.announce();
    }

    void close() {
        List<PeerConnection> left;
        synchronized (all) {
            isClosed = true;
            left = takeAll();
        }
        endConnecting();
        left.forEach(PeerConnection::close);
    }

    /** Whoever waits hears it now, while there are engines to wait with; what the fabric makes none the less is closed. */
    private void endConnecting() {
        outgoing.forEach((remote, made) -> {
            try {
                checkOpen(remote);
            } catch (TransferException e) {
                fail(remote, made, e);
            }
        });
    }

    /** Whoever takes them ends them, however they fail from now on. */
    private List<PeerConnection> takeAll() {
        List<PeerConnection> taken = new ArrayList<>(all.values());
        taken.addAll(ending);
        all.clear();
        return taken;
    }

    /** Whether nothing is outstanding on any of them. */
    boolean isIdle() {
        return all.values().stream().allMatch(PeerConnection::isIdle);
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        options.admission().check(options.name(), peerName, accepted.size(), queuePairCount - 1);
        return queuePairOptions(queuePairCount);
    }

    @Override
    public void onAccepted(Connection connection) {
        // Once more: many may have asked before the first of them was accepted.
        options.admission().check(options.name(), connection.peerName(), accepted.size(),
                connection.queuePairs().size() - 1);
        adopt(connection, true);
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        PeerConnection peer = all.get(connection);
        if (peer != null) {
            peer.fail(cause);
        }
        if (!orderly) {
            tellLost(cause);
        }
        engines.announce();
    }

    private void tellLost(String cause) {
        lostListeners.forEach(listener -> listener.accept(cause));
    }

    /** @return null if the device is closed or gives up, and so the connection is closed */
    private PeerConnection adopt(Connection connection, boolean isAccepted) {
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
            peer = new PeerConnection(connection, engines, options.queueDepth(), methods, receivers, messageArena,
                    fabric.capabilities().messageByteSizeMax(), this::onFailed);
            all.put(connection, peer);
            if (isAccepted) {
                accepted.add(peer);
            }
        }
        String lost = connection.lostCause();
        if (lost != null) {
            peer.fail(lost);
        }
        return peer;
    }

    /** Once for each connection, on any thread. */
    private void onFailed(PeerConnection peer) {
        synchronized (all) {
            if (!all.remove(peer.connection(), peer)) {
                return;
            }
            ending.add(peer);
        }
        ConnectionFailedEvent.record(options.name(), peer.name(), peer.failure());
        outgoing.values().removeIf(made -> made.state() == Future.State.SUCCESS && made.resultNow() == peer);
        edge.execute(() -> {
            if (peer.end()) {
                tellLost("peer " + peer.name() + " was given up: " + peer.failure());
            }
            ending.remove(peer);
            accepted.remove(peer);
            engines.announce();
        });
    }

    private synchronized List<QueuePairOptions> queuePairOptions(int count) {
        List<QueuePairOptions> queuePairs = new ArrayList<>(count);
        for (int i = 0; i < count; i++) {
            Engine engine = engines.all().get(nextEngine++ % engines.all().size());
            QueuePairOptions queuePair = new QueuePairOptions(engine.completionQueue(), options.queueDepth(),
                    PeerConnection.receiveDepth(i, options.queueDepth()), RECEIVER_NOT_READY_TIMEOUT_NS);
            // Tensors' views are gathered by as many elements as the device has; the RPC's messages are one.
            queuePairs.add(i == 0 ? queuePair
                    : queuePair.withElementCountMax(fabric.capabilities().elementCountMax()));
        }
        return queuePairs;
    }
}
