package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The connecting side of a handshake ({@link IncomingHandshake} draws it), done on the caller's thread.
 *
 * <p><b>Owner:</b> the call of {@code connect}. <b>Threading:</b> confined to it.
 */
public final class Connector {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** How soon a closed fabric or an interrupt ends the wait. */
    private static final long SLICE_MS = 50;

    private final ControlledFabric fabric;
    private final ControlLoop loop;
    private final Endpoint remote;
    private final List<QueuePairOptions> options;
    private final long timeoutNs;
    private final long startNs = System.nanoTime();
    /** When somebody listened there at last; the start, where that was at once. */
    private long foundNs = startNs;

    public Connector(ControlledFabric fabric, ControlLoop loop, Endpoint remote, List<QueuePairOptions> options,
            long timeoutNs) {
        this.fabric = fabric;
        this.loop = loop;
        this.remote = remote;
        this.options = options;
        this.timeoutNs = timeoutNs;
    }

    /** @throws TransferException on refusal, when nobody fits there, or when time is up */
    public ControlledConnection connect() {
        ControlledConnection connection = handshake();
        if (!fabric.adopt(connection)) {
            connection.socket().close();
            fabric.checkNotGivingUp(remote);
            throw new IllegalStateException(fabric + " was closed while it connected to " + remote);
        }
        loop.watch(connection.socket().channel(), SelectionKey.OP_READ, connection);
        return connection;
    }

    private ControlledConnection handshake() {
        try (Selector selector = Selector.open()) {
            ControlSocket socket = open(selector);
            ControlledConnection connection = null;
            try {
                connection = handshake(selector, socket);
                return connection;
            } catch (ProtocolException e) {
                throw failure(e.getMessage(), e);
            } finally {
                selector.keys().forEach(SelectionKey::cancel);
                selector.selectNow();
                if (connection == null) {
                    socket.close();
                }
            }
        } catch (ClosedByInterruptException e) {
            throw failure("interrupted", e);
        } catch (IOException e) {
            throw failure(e.getMessage(), e);
        }
    }

    private ControlledConnection handshake(Selector selector, ControlSocket socket)
            throws IOException, ProtocolException {
        Authentication authentication = fabric.authentication();
        if (authentication.isWanted()) {
            socket.send(Frame.Type.KNOCK, authentication.knock());
            authentication.onChallenge(await(selector, socket, Frame.Type.CHALLENGE));
        }
        try (Negotiation negotiation = fabric.negotiate(options)) {
            socket.send(Frame.Type.HELLO, authentication.signHello(negotiation.hello()));
            ByteBuffer welcome = authentication.openWelcome(await(selector, socket, Frame.Type.WELCOME));
            ControlledFabric.Visitor peer = fabric.visitor(welcome.duplicate());
            if (peer.queuePairCount() != options.size()) {
                throw new ProtocolException("it made another number of queue pairs");
            }
            ControlledConnection connection = meet(negotiation, socket, welcome);
            socket.send(Frame.Type.READY);
            return connection;
        }
    }

    /** The peer waits for READY, so it must hear if that will not come. */
    private ControlledConnection meet(Negotiation negotiation, ControlSocket socket, ByteBuffer peer)
            throws ProtocolException, IOException {
        try {
            return negotiation.connect(socket, peer, () -> checkTime("its queue pairs cannot be reached"));
        } catch (ProtocolException e) {
            try {
                socket.sendRefusal(e.getMessage());
            } catch (IOException sending) {
                e.addSuppressed(sending);
            }
            throw e;
        }
    }

    private TransferException failure(String reason, Throwable cause) {
        return new TransferException("cannot connect to " + remote + ": " + reason, cause);
    }

    /** Tries again while nobody listens there yet. */
    private ControlSocket open(Selector selector) throws IOException {
        InetSocketAddress address = new InetSocketAddress(remote.host(), remote.port());
        if (address.isUnresolved()) {
            throw new TransferException("cannot connect to " + remote + ": unknown host");
        }
        for (boolean isFirst = true;; isFirst = false) {
            SocketChannel channel = SocketChannel.open();
            try {
                channel.configureBlocking(false);
                if (!channel.connect(address)) {
                    channel.register(selector, SelectionKey.OP_CONNECT);
                    while (!channel.finishConnect()) {
                        await(selector, "no answer");
                    }
                }
                if (channel.getLocalAddress().equals(channel.getRemoteAddress())) {
                    // Where nobody listens on a port that the system also gives out by itself, TCP may connect to itself.
                    throw new ConnectException("connected to itself");
                }
                channel.register(selector, SelectionKey.OP_READ);
                foundNs = isFirst ? startNs : System.nanoTime();
                return new ControlSocket(channel, loop::wakeup);
            } catch (ConnectException e) {
                channel.close();
                selector.selectNow();
                checkTime("nobody listens there");
                LockSupport.parkNanos(RETRY_NS);
            } catch (IOException | RuntimeException e) {
                channel.close();
                throw e;
            }
        }
    }

    private ByteBuffer await(Selector selector, ControlSocket socket, Frame.Type type)
            throws IOException, ProtocolException {
        while (true) {
            await(selector, "no answer to the handshake");
            boolean isAlive = socket.receive();
            Frame frame = socket.next();
            if (frame == null && !isAlive) {
                throw new ProtocolException("it closed the socket during the handshake");
            }
            if (frame != null && frame.type() == Frame.Type.REFUSE) {
                throw new ProtocolException("refused: " + ControlSocket.refusal(frame));
            }
            if (frame != null && frame.type() != type) {
                throw new ProtocolException("unexpected " + frame.type());
            }
            if (frame != null) {
                return frame.payload();
            }
        }
    }

    private void await(Selector selector, String whatIsMissing) throws IOException {
        checkTime(whatIsMissing);
        selector.select(SLICE_MS);
        selector.selectedKeys().clear();
    }

    private void checkTime(String whatIsMissing) {
        fabric.checkOpen();
        fabric.checkNotGivingUp(remote);
        if (Thread.currentThread().isInterrupted()) {
            throw new TransferException("cannot connect to " + remote + ": interrupted");
        }
        long nowNs = System.nanoTime();
        if (nowNs - startNs >= timeoutNs) {
            throw new TransferException("cannot connect to " + remote + ": " + whatIsMissing + " for "
                    + TimeUnit.NANOSECONDS.toMillis(nowNs - foundNs) + " ms" + (foundNs == startNs ? ""
                            : ", after " + TimeUnit.NANOSECONDS.toMillis(foundNs - startNs)
                                    + " ms until somebody listened there"));
        }
    }
}
