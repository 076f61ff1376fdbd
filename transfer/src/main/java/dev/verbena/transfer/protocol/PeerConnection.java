package dev.verbena.transfer.protocol;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.EngineQueuePair;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.QueuePair;

/**
 * Everything between this device and one peer: queue pair 0 carries the small RPC, the others tensors. Their arrivals with
 * immediate go to the receiver that the immediate names.
 *
 * <p>It is the one owner of failure: whatever fails first, a queue pair, the peer, or this side giving up, is the cause of the whole
 * connection. Then nothing more is posted, and every request, call, sender and receiver hears of that cause, once.
 *
 * <pre>
 *   usable ── fail ──► failed: what is posted is flushed ── end, abort, close ──► closed ── the peer too ──► quiet: memory is free
 * </pre>
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public final class PeerConnection implements EngineQueuePair.Owner {
    /** For what is flushed, and for the fabric to say what has become of the peer; both take far less. */
    private static final long PATIENCE_NS = 2_000_000_000L;
    /** For the other end of a transfer to see that this one closes; a peer without pollers may compute meanwhile. */
    static final long FAREWELL_NS = 5_000_000_000L;
    private static final long FAREWELL_PAUSE_NS = 1_000_000L;
    private static final Logger LOG = LoggerFactory.getLogger(PeerConnection.class);

    private final Connection connection;
    private final Engines engines;
    private final ReceiverDirectory receivers;
    private final Consumer<PeerConnection> onFailed;
    private final EngineQueuePair rpcQueuePair;
    private final List<EngineQueuePair> dataQueuePairs = new ArrayList<>();
    private final RpcEndpoint rpc;
    private final AtomicReference<String> failure = new AtomicReference<>();
    /** Whether the fabric will say what has become of the peer. */
    private volatile boolean awaitsWord;
    /** Whether an end is under way or done; guarded by this. */
    private boolean isEnding;
    private final List<Runnable> closeListeners = new CopyOnWriteArrayList<>();
    /** Whether this side has no queue pair left. */
    private volatile boolean isClosed;
    /** Whether the peer cannot write any more to memory of this side. */
    private volatile boolean isQuiet;
    /** What it could write to, and is to be given back; guarded by itself. */
    private final List<TensorLease> held = new ArrayList<>();

    /** Takes charge of a new connection; {@code onFailed} hears once that it is to be ended, on a thread that must not wait. */
    public PeerConnection(Connection connection, Engines engines, int depth, RpcMethods methods,
            ReceiverDirectory receivers, TensorArena messageArena, long messageByteSizeMax,
            Consumer<PeerConnection> onFailed) {
        this.connection = connection;
        this.engines = engines;
        this.onFailed = onFailed;
        this.receivers = receivers;
        List<QueuePair> queuePairs = connection.queuePairs();
        for (int i = 1; i < queuePairs.size(); i++) {
            dataQueuePairs.add(engineQueuePair(queuePairs.get(i), depth));
        }
        rpcQueuePair = engineQueuePair(queuePairs.getFirst(), depth);
        rpc = new RpcEndpoint(this, rpcQueuePair, engines, methods, messageArena, messageByteSizeMax);
        for (int i = 0; i < dataQueuePairs.size(); i++) {
            EngineQueuePair queuePair = dataQueuePairs.get(i);
            int number = i;
            queuePair.engine().enqueue(() -> queuePair.start(
                    (index, completion) -> receivers.onImmediate(this, number, completion.immediate), null, 0, 0,
                    depth));
        }
        // Last: once the peer is heard, what it asks for goes over the others, which must have their indices by then.
        rpcQueuePair.engine().enqueue(rpc::start);
    }

    private EngineQueuePair engineQueuePair(QueuePair queuePair, int depth) {
        return new EngineQueuePair(engines.of(queuePair.completionQueue()), queuePair, depth, this);
    }

    /** Receives that queue pair {@code index} of a connection needs; a power of two. */
    public static int receiveDepth(int index, int depth) {
        return index == 0 ? RpcEndpoint.receiveDepth() : depth;
    }

    public Connection connection() {
        return connection;
    }

    public String name() {
        return connection.peerName();
    }

    public int dataQueuePairCount() {
        return dataQueuePairs.size();
    }

    EngineQueuePair dataQueuePair(int index) {
        return dataQueuePairs.get(index);
    }

    /** All of them: first that one, then those behind it, round about. */
    List<EngineQueuePair> dataQueuePairsFrom(int index) {
        List<EngineQueuePair> from = new ArrayList<>(dataQueuePairs);
        Collections.rotate(from, -index);
        return List.copyOf(from);
    }

    public Engines engines() {
        return engines;
    }

    /** Hears, on any thread, that this side has no queue pair left; not if that is so already. */
    public void addCloseListener(Runnable listener) {
        closeListeners.add(listener);
    }

    public void removeCloseListener(Runnable listener) {
        closeListeners.remove(listener);
    }

    /** Calls a method of the peer and waits for the answer. */
    public byte[] call(String method, byte[] request, Duration timeout) {
        return rpc.call(method, request, timeout);
    }

    /** Calls a method of the peer whose answer nobody waits for. */
    public void tell(String method, byte[] request) {
        rpc.tell(method, request);
    }

    // ---- failure ----

    @Override
    public String failure() {
        return failure.get();
    }

    @Override
    public void onFailure(String cause, boolean isPeers) {
        fail(cause, isPeers);
    }

    /** Nothing more is posted, what waits ends now, what is posted when the fabric has flushed it. Idempotent, the first cause counts. */
    public void fail(String cause) {
        fail(cause, false);
    }

    private void fail(String cause, boolean isPeers) {
        if (failure.get() == null) {
            awaitsWord = isPeers;
        }
        if (!failure.compareAndSet(null, cause)) {
            return;
        }
        for (EngineQueuePair queuePair : dataQueuePairs) {
            queuePair.engine().enqueue(queuePair::fail);
        }
        rpcQueuePair.engine().enqueue(rpc::fail);
        engines.announce();
        onFailed.accept(this);
    }

    /**
     * After a failure: waits until what was posted has ended, and for the fabric's word on the peer; a peer that is still there is told the
     * cause. Then closes.
     *
     * @return whether it was this that ended it, with the peer still there
     */
    public boolean end() {
        engines.await(() -> isClosed || isIdle() && !(awaitsWord && connection.lostCause() == null), PATIENCE_NS);
        AtomicBoolean isPeerThere = new AtomicBoolean();
        boolean isClosedHere = close(() -> {
            // Only now: closing has waited, and the fabric may have told what has become of the peer.
            isPeerThere.set(connection.lostCause() == null);
            connection.abort(failure());
        });
        return isClosedHere && isPeerThere.get();
    }

    /** Tells the peer why this side gives up, and ends everything outstanding. */
    public void abort(String cause) {
        fail("given up by this side: " + cause);
        close(() -> connection.abort(cause));
    }

    /** The peer learns that it was meant; everything outstanding ends. Idempotent. */
    public void close() {
        fail("the connection to peer " + name() + " was closed");
        close(connection::close);
    }

    private synchronized boolean close(Runnable farewell) {
        if (isEnding) {
            return false;
        }
        isEnding = true;
        // Who is just posting has not seen yet that it must not.
        engines.awaitTurn(PATIENCE_NS);
        farewell.run();
        for (EngineQueuePair queuePair : dataQueuePairs) {
            queuePair.engine().execute(queuePair::abandon);
        }
        rpcQueuePair.engine().execute(() -> {
            rpc.abandon();
            receivers.forget(this);
        });
        closeListeners.forEach(Runnable::run);
        isClosed = true;
        connection.whenQuiet(this::onQuiet);
        engines.announce();
        return true;
    }

    private void onQuiet() {
        List<TensorLease> free;
        synchronized (held) {
            isQuiet = true;
            free = List.copyOf(held);
            held.clear();
        }
        free.forEach(TensorLease::close);
        engines.announce();
    }

    /**
     * Closes memory that the peer could write to. If the connection has failed, it is free only when nothing of the peer's lands any more: a
     * peer that stands still in the midst of a copy would go on with it, whatever has become of the memory.
     */
    public void giveBack(Tensor tensor) {
        synchronized (held) {
            if (failure() != null && !isQuiet) {
                held.add(TensorLease.of(tensor));
            }
        }
        tensor.close();
    }

    /** The same, of what the peer could read: it would take for whole what it has read in part before, and in part afterwards. */
    public void giveBack(TensorLease lease) {
        if (failure() != null) {
            synchronized (held) {
                if (!isQuiet) {
                    held.add(lease.share());
                }
            }
        }
        lease.close();
    }

    /**
     * Takes leave of the other end of a transfer, so that memory can be given back: asks until it leaves that alone. If it does not say so
     * in time, the connection is cut; returns when either has happened.
     *
     * @return whether it has said so, so that the memory is free, also if the connection fails now; else {@link #giveBack}
     */
    boolean takeLeave(String method, Farewell farewell, String name, long patienceNs) {
        long deadlineNs = engines.nanoTime() + patienceNs;
        byte[] message = farewell.encode();
        while (failure() == null) {
            long leftNs = deadlineNs - engines.nanoTime();
            if (leftNs <= 0) {
                fail(name + " was closed, and peer " + name() + " has not answered for "
                        + TimeUnit.NANOSECONDS.toMillis(patienceNs) + " ms");
            } else if (isQuietAt(method, message, leftNs)) {
                return true;
            } else {
                engines.awaitUninterruptibly(() -> failure() != null, FAREWELL_PAUSE_NS);
            }
        }
        if (!engines.awaitUninterruptibly(() -> isQuiet, 2 * PATIENCE_NS)) {
            LOG.warn(
                    "{}: peer {} may still write to its memory, which stays out of use until that peer goes on or ends",
                    name, name());
        }
        return false;
    }

    private boolean isQuietAt(String method, byte[] message, long timeoutNs) {
        try {
            return Farewell.isQuiet(call(method, message, Duration.ofNanos(timeoutNs)));
        } catch (TransferException e) {
            LOG.debug("farewell to peer {} not heard", name(), e);
            return false;
        }
    }

    /** Whether nothing is outstanding. */
    public boolean isIdle() {
        return rpcQueuePair.outstanding() == 0 && dataQueuePairs.stream().allMatch(q -> q.outstanding() == 0);
    }
}
