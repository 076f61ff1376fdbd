package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
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
 * <p>Threading: confined to one {@code connect} call.
 */
final class Connector {
    private static final long RETRY_NS = TimeUnit.MILLISECONDS.toNanos(20);
    /** How soon a closed fabric or an interrupt ends the wait. */
    private static final long SLICE_MS = 50;

    private final ShmFabric fabric;
    private final ControlLoop loop;
    private final Endpoint remote;
    private final List<QueuePairOptions> options;
    private final long timeoutNs;
    private final long startNs = System.nanoTime();

    Connector(ShmFabric fabric, ControlLoop loop, Endpoint remote, List<QueuePairOptions> options, long timeoutNs) {
        this.fabric = fabric;
        this.loop = loop;
        this.remote = remote;
        this.options = options;
        this.timeoutNs = timeoutNs;
    }

    ShmConnection connect() {
        try (Selector selector = Selector.open()) {
            ControlSocket socket = open(selector);
            SharedFile linkFile = null;
            ShmConnection connection = null;
            try {
                linkFile = fabric.createLinkFile(options);
                socket.send(Frame.Type.HELLO, fabric.hello(linkFile.identity(), options).encode());
                Hello peer = awaitWelcome(selector, socket);
                connection = new ShmConnection(fabric, socket, linkFile, options, peer);
                socket.send(Frame.Type.READY);
                return connection;
            } catch (PeerFileException e) {
                refuse(socket, e);
                throw failure(e.getMessage(), e);
            } catch (ProtocolException e) {
                throw failure(e.getMessage(), e);
            } finally {
                selector.keys().forEach(SelectionKey::cancel);
                selector.selectNow();
                if (connection == null) {
                    socket.close();
                    if (linkFile != null) {
                        linkFile.close();
                    }
                }
            }
        } catch (ClosedByInterruptException e) {
            throw failure("interrupted", e);
        } catch (IOException e) {
            throw failure(e.getMessage(), e);
        }
    }

    private static void refuse(ControlSocket socket, PeerFileException e) {
        try {
            socket.sendRefusal(e.getMessage());
        } catch (IOException sending) {
            e.addSuppressed(sending);
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
        while (true) {
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

    private Hello awaitWelcome(Selector selector, ControlSocket socket) throws IOException, ProtocolException {
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
            if (frame != null && frame.type() != Frame.Type.WELCOME) {
                throw new ProtocolException("unexpected " + frame.type());
            }
            if (frame != null) {
                Hello peer = Hello.decode(frame.payload());
                String refusal = peer.refusal(fabric.identity());
                if (refusal != null || peer.receiveDepths().length != options.size()) {
                    throw new ProtocolException(refusal != null ? refusal : "it made another number of queue pairs");
                }
                return peer;
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
        if (Thread.currentThread().isInterrupted()) {
            throw new TransferException("cannot connect to " + remote + ": interrupted");
        }
        if (System.nanoTime() - startNs >= timeoutNs) {
            throw new TransferException("cannot connect to " + remote + ": " + whatIsMissing + " for "
                    + TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
        }
    }
}
