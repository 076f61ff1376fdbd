package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.util.function.Consumer;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectionHandler;

/**
 * The socket that a fabric listens on.
 *
 * <p><b>Owner:</b> the fabric; the control loop closes the socket. <b>Threading:</b> immutable.
 *
 * @param endpoint where it really listens
 */
public record ControlListener(ServerSocketChannel channel, Endpoint endpoint) {
    /**
     * Listens.
     *
     * @param preparation takes where it will listen, before anybody can connect there: of a port that the system chooses nobody knows before
     *        this returns
     * @throws TransferException if the port is in use or the host is not this machine's
     */
    public static ControlListener bind(Endpoint local, Consumer<InetSocketAddress> preparation) {
        InetSocketAddress address = new InetSocketAddress(local.host(), local.port());
        if (address.isUnresolved()) {
            throw new TransferException("cannot listen at " + local + ": unknown host");
        }
        ServerSocketChannel channel = null;
        try {
            channel = ServerSocketChannel.open();
            channel.configureBlocking(false);
            if (local.port() != 0) {
                preparation.accept(address);
            }
            channel.bind(address, Acceptor.HANDSHAKES_MAX);
            InetSocketAddress bound = (InetSocketAddress) channel.getLocalAddress();
            if (local.port() == 0) {
                preparation.accept(bound);
            }
            return new ControlListener(channel, new Endpoint(local.host(), bound.getPort()));
        } catch (RuntimeException e) {
            closeQuietly(channel, e);
            throw e;
        } catch (IOException e) {
            closeQuietly(channel, e);
            String hint = !(e instanceof BindException) ? ""
                    : isOurs(address.getAddress())
                            ? "; port " + local.port() + " is in use or not allowed, take another or 0"
                            : "; is this an address of this machine?";
            throw new TransferException("cannot listen at " + local + ": " + e.getMessage() + hint, e);
        }
    }

    /** Whether some port is free there; what the exception says of the reason is in the user's language. */
    private static boolean isOurs(InetAddress address) {
        try (ServerSocketChannel any = ServerSocketChannel.open()) {
            any.bind(new InetSocketAddress(address, 0));
            return true;
        } catch (IOException _) {
            return false;
        }
    }

    void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Accepts from now on. */
    public void start(ControlledFabric fabric, ControlLoop loop, ConnectionHandler handler, long handshakeTimeoutNs) {
        new Acceptor(fabric, loop, channel, handler, handshakeTimeoutNs).start();
    }

    private static void closeQuietly(ServerSocketChannel channel, Exception cause) {
        try {
            if (channel != null) {
                channel.close();
            }
        } catch (IOException e) {
            cause.addSuppressed(e);
        }
    }
}
