package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

import javax.net.ssl.SSLContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.PeerSecret;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A fabric whose connections are made, and whose peers' deaths are noticed, over control sockets.
 *
 * <p><b>Owner:</b> the device. <b>Threading:</b> thread-safe.
 */
public abstract class ControlledFabric implements Fabric {
    private static final Logger LOGGER = LoggerFactory.getLogger(ControlledFabric.class);

    /** Who connects, and with how many queue pairs. */
    public record Visitor(String name, int queuePairCount) {}

    private final ControlLoop loop;
    private final long handshakeTimeoutNs;
    private final int peerTimeoutMs;
    private final PeerSecret secret;
    /** Null where control sockets are not encrypted. */
    private final SSLContext tls;
    private final Set<ControlledConnection> connections = ConcurrentHashMap.newKeySet();
    /** Whose peers were welcomed, and may think by now that they are connected. */
    private final Set<ControlledConnection> welcomed = ConcurrentHashMap.newKeySet();
    /** Of this side's connecting; added to when guarded by this. */
    private final Set<OutgoingHandshake> connecting = ConcurrentHashMap.newKeySet();

    private volatile String localName = "process " + ProcessHandle.current().pid();
    private volatile Endpoint listening = new Endpoint("localhost", 0);
    private volatile ConnectionHandler handler;
    /** Guarded by this. */
    private ControlListener listener;
    /** Written when guarded by this. */
    private volatile boolean isOpen = true;
    /** Why this process gives up; null while it does not. Written when guarded by this. */
    private volatile String abortCause;

    /**
     * Starts the control thread; what a fabric holds besides must be there before, or that thread would stay
     * if it fails.
     */
    protected ControlledFabric(String threadName, long handshakeTimeoutNs, NetworkOptions network) {
        this.handshakeTimeoutNs = handshakeTimeoutNs;
        peerTimeoutMs = network.peerTimeoutMs();
        secret = network.secret();
        tls = network.tls();
        loop = new ControlLoop(threadName, ControlledConnection.beatNs(peerTimeoutMs));
    }

    /** @throws ProtocolException if these two cannot be connected; the message says why */
    protected abstract Visitor visitor(ByteBuffer hello) throws ProtocolException;

    /** Prepares this side of a connection; options have been checked by {@link #check}. */
    protected abstract Negotiation negotiate(List<QueuePairOptions> options);

    /** @throws IllegalArgumentException if queue pairs cannot be made so */
    protected abstract void check(List<QueuePairOptions> options);

    /** It will listen there, and nobody can connect before this returns. @throws TransferException if it cannot */
    protected void prepareToListen(InetSocketAddress address) {}

    /** It will not listen, after all. */
    protected void onListeningRefused() {}

    /** One of those that have connected here is connected, or has come to nothing. Called on the control thread. */
    protected void onHandshakeEnd() {}

    /** What is left to be closed when connections and control thread are, in this order. */
    protected abstract List<AutoCloseable> holdings();

    /** Whether it has not been closed. */
    public final boolean isOpen() {
        return isOpen;
    }

    /** @throws IllegalStateException if it is closed */
    protected final void checkOpen() {
        if (!isOpen) {
            throw new IllegalStateException(this + " is closed");
        }
    }

    /** As peers know it. */
    public final String localName() {
        return localName;
    }

    /** Where it listens; port 0 if it does not. */
    protected final Endpoint listening() {
        return listening;
    }

    /** Those that work, or whose peer is gone and that are not closed yet. */
    protected final Set<ControlledConnection> connections() {
        return connections;
    }

    @Override
    public final synchronized Endpoint listen(Endpoint local, String localName, ConnectionHandler handler) {
        checkOpen();
        Fields.checkName(localName);
        if (listener != null) {
            throw new IllegalStateException(this + " listens already at " + listening);
        }
        try {
            listener = ControlListener.bind(local, this::prepareToListen);
        } catch (RuntimeException e) {
            onListeningRefused();
            throw e;
        }
        listening = listener.endpoint();
        this.localName = localName;
        this.handler = handler;
        listener.start(this, loop, handler, handshakeTimeoutNs);
        return listening;
    }

    /** {@inheritDoc} A host that is given by name is looked up on a thread of its own, since the JDK can only wait for the answer. */
    @Override
    public final void connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs,
            ConnectHandler handler) {
        List<QueuePairOptions> options = List.copyOf(queuePairs);
        checkOpen();
        check(options);
        if (remote.port() == 0) {
            throw new IllegalArgumentException("cannot connect to " + remote + ": give the port it listens on");
        }
        OutgoingHandshake handshake = new OutgoingHandshake(this, loop, remote, options, timeoutNs, handler);
        synchronized (this) {
            checkOpen();
            connecting.add(handshake);
            loop.later(handshake::start);
        }
    }

    /** Why nobody is connected any more, or null. */
    final String refusal() {
        String cause = abortCause;
        return cause != null ? localName + " gives up: " + cause : isOpen ? null : this + " was closed";
    }

    final void forget(OutgoingHandshake handshake) {
        connecting.remove(handshake);
    }

    /**
     * Tells who connects that it is accepted. In one with remembering that: a peer that was welcomed and hears no farewell would
     * take the end of this process for a death.
     *
     * @throws ProtocolException if this process gives up
     */
    final synchronized void welcome(ControlledConnection connection, ByteBuffer hello)
            throws ProtocolException, IOException {
        if (abortCause != null) {
            throw new ProtocolException(localName + " gives up: " + abortCause);
        }
        connection.socket().send(Frame.Type.WELCOME, hello);
        welcomed.add(connection);
    }

    /** A new connection begins to work. @return false if the fabric is closed or gives up, and so the connection is closed */
    final boolean adopt(ControlledConnection connection) {
        synchronized (this) {
            welcomed.remove(connection);
            if (isOpen && abortCause == null) {
                connection.attach();
                connections.add(connection);
                return true;
            }
        }
        if (abortCause != null) {
            connection.abort(abortCause);
        } else {
            connection.close();
        }
        return false;
    }

    /** Runs it on the control thread when so much time has passed, unless the fabric is closed by then. Called on the control thread. */
    protected final void after(long delayNs, Runnable task) {
        loop.after(delayNs, task);
    }

    /** Of one handshake. */
    final Authentication authentication() {
        return new Authentication(secret);
    }

    /** Null where control sockets are not encrypted. */
    final SSLContext tls() {
        return tls;
    }

    final int peerTimeoutMs() {
        return peerTimeoutMs;
    }

    /** Its socket has nothing more to say. */
    final void watchNoMore(ControlledConnection connection) {
        loop.watch(connection.socket().channel(), 0, connection);
    }

    final void forget(ControlledConnection connection) {
        welcomed.remove(connection);
        connections.remove(connection);
    }

    final void onLost(ControlledConnection connection, boolean orderly, String cause) {
        ConnectionHandler listening = handler;
        if (listening == null || !isOpen) {
            return;
        }
        try {
            listening.onLost(connection, orderly, cause);
        } catch (RuntimeException e) {
            LOGGER.error("the handler of a lost connection failed: {}", cause, e);
        }
    }

    @Override
    public final void abort(String cause) {
        synchronized (this) {
            if (abortCause != null) {
                return;
            }
            abortCause = cause;
        }
        endConnecting();
        connections.forEach(connection -> connection.abort(cause));
        welcomed.forEach(connection -> connection.abort(cause));
    }

    private void endConnecting() {
        connecting.forEach(handshake -> loop.run(handshake::onRefusal));
    }

    @Override
    public final void close() {
        synchronized (this) {
            if (!isOpen) {
                return;
            }
            isOpen = false;
        }
        endConnecting();
        // Farewells are said before the sockets end, or peers would take it for a death.
        Failures failures = new Failures();
        connections.forEach(failures::close);
        failures.close(loop);
        holdings().forEach(failures::close);
        failures.throwIfAny();
    }

    /** One that cannot be closed, such as a region in use by a native call, does not keep the others open. */
    private static final class Failures {
        private IllegalStateException first;

        void close(AutoCloseable each) {
            try {
                each.close();
            } catch (Exception e) {
                if (first == null) {
                    first = new IllegalStateException("could not close everything: " + e.getMessage(), e);
                } else {
                    first.addSuppressed(e);
                }
            }
        }

        void throwIfAny() {
            if (first != null) {
                throw first;
            }
        }
    }

    @Override
    public final String toString() {
        return "fabric " + name() + " of " + localName;
    }
}
