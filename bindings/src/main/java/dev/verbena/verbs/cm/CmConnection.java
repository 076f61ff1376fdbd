package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.ECONNREFUSED;

import java.net.InetSocketAddress;
import java.util.concurrent.TimeUnit;
import dev.verbena.verbs.QueuePair;
import dev.verbena.verbs.VerbsException;

/**
 * A connection with an event channel of its own, for a thread that waits for each step, with a deadline.
 *
 * <pre>
 *   try (CmConnection connection = CmConnection.resolve(peer, timeoutNs)) {   // or listener.next(timeoutNs)
 *       ... protection domain, completion queue, regions of connection.id().device()
 *       QueuePair pair = connection.id().createQueuePair(domain, options);
 *       ... post receives
 *       connection.connect(ConnectionParameters.defaults(), timeoutNs);       // or accept
 *       ... work
 *       connection.disconnect(timeoutNs);
 *       pair.close();
 *   }
 * </pre>
 *
 * <p><b>Owner:</b> whoever made it, to be closed after its queue pair. <b>Threading:</b> confined to its owner.
 */
public final class CmConnection implements AutoCloseable {
    private final CmEventChannel channel;
    private final CmId id;
    private final CmEvent request;

    private CmConnection(CmEventChannel channel, CmId id, CmEvent request) {
        this.channel = channel;
        this.id = id;
        this.request = request;
    }

    /**
     * Finds the device and the way to the peer.
     *
     * @throws ConnectionException if there is none, or not in time
     */
    public static CmConnection resolve(InetSocketAddress remote, long timeoutNs) {
        return resolve(null, remote, timeoutNs);
    }

    /** The same from the local address, which may be null. */
    public static CmConnection resolve(InetSocketAddress local, InetSocketAddress remote, long timeoutNs) {
        long startNs = System.nanoTime();
        CmEventChannel channel = CmEventChannel.create();
        try {
            CmConnection connection = new CmConnection(channel, channel.createId(), null);
            connection.closeUnless(() -> {
                connection.id.resolveAddress(local, remote, timeoutNs);
                connection.expect(CmEventType.ADDRESS_RESOLVED, timeoutNs);
                long leftNs = timeoutNs - (System.nanoTime() - startNs);
                connection.id.resolveRoute(leftNs);
                connection.expect(CmEventType.ROUTE_RESOLVED, leftNs);
            });
            return connection;
        } catch (Throwable failed) {
            channel.close();
            throw failed;
        }
    }

    /** Of a request that came on another channel. */
    static CmConnection of(CmEvent request) {
        CmEventChannel channel = CmEventChannel.create();
        try {
            request.id().migrate(channel);
            return new CmConnection(channel, request.id(), request);
        } catch (Throwable failed) {
            channel.close();
            throw failed;
        }
    }

    /** For the queue pair, the device and the addresses. */
    public CmId id() {
        return id;
    }

    /** The peer's request with its private data; null on the connecting side. */
    public CmEvent request() {
        return request;
    }

    /**
     * Connects.
     *
     * @return what the peer accepted with
     * @throws ConnectionException if it rejects, does not answer, or not in time
     */
    public CmEvent connect(ConnectionParameters parameters, long timeoutNs) {
        try {
            id.connect(parameters);
        } catch (VerbsException failed) {
            throw failed.errno() == ECONNREFUSED() ? refusedAtOnce() : failed;
        }
        return expect(CmEventType.ESTABLISHED, timeoutNs);
    }

    /**
     * Grants the request.
     *
     * @throws ConnectionException if the peer has given up, or does not confirm in time
     */
    public void accept(ConnectionParameters parameters, long timeoutNs) {
        id.accept(parameters);
        expect(CmEventType.ESTABLISHED, timeoutNs);
    }

    /** Refuses the request; to be closed then. */
    public void reject(byte[] privateData) {
        id.reject(privateData);
    }

    /** Disconnects and waits until the peer knows. */
    public void disconnect(long timeoutNs) {
        id.disconnect();
        expect(CmEventType.DISCONNECTED, timeoutNs);
    }

    /** Waits until the peer disconnects. */
    public void awaitDisconnected(long timeoutNs) {
        expect(CmEventType.DISCONNECTED, timeoutNs);
    }

    /** The next event, whatever it is; null as {@link CmEventChannel#await} has it. For a thread of its own, too. */
    public CmEvent await(long timeoutNs) {
        return channel.await(timeoutNs);
    }

    private CmEvent expect(CmEventType type, long timeoutNs) {
        long startNs = System.nanoTime();
        long leftNs = timeoutNs;
        do {
            CmEvent event = channel.await(leftNs);
            if (event != null && event.type() == type) {
                return event;
            }
            if (event != null && event.type().isFailure()) {
                throw new ConnectionException(event.problem(), event);
            }
            if (event != null && event.type() == CmEventType.DISCONNECTED) {
                throw new ConnectionException(describe() + ": the peer disconnected instead of " + type
                        + "; look at its log.", event);
            }
            leftNs = timeoutNs - (System.nanoTime() - startNs);
        } while (leftNs > 0);
        throw new ConnectionException(describe() + ": no " + type + " within timeoutMs="
                + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + "; look whether the peer is alive, or give it more time.",
                null);
    }

    /** Some iWARP devices wait for TCP's answer. */
    private ConnectionException refusedAtOnce() {
        return new ConnectionException(describe() + ": " + CmFailure.describe(CmEventType.REJECTED, -ECONNREFUSED()),
                null);
    }

    private String describe() {
        return id + ", local=" + id.localAddress() + ", remote=" + id.remoteAddress();
    }

    private void closeUnless(Runnable succeeds) {
        try {
            succeeds.run();
        } catch (Throwable failed) {
            id.close();
            throw failed;
        }
    }

    /** @throws IllegalStateException if its queue pair is open */
    @Override
    public void close() {
        id.close();
        channel.close();
    }
}
