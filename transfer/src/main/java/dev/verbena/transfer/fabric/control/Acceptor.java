package dev.verbena.transfer.fabric.control;

import java.io.IOException;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.concurrent.TimeUnit;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.transfer.spi.ConnectionHandler;

/**
 * Takes incoming connections and begins a handshake with each.
 *
 * <p>Threading: confined to the control thread.
 */
final class Acceptor implements ControlLoop.Watcher {
    private static final Logger LOGGER = LoggerFactory.getLogger(Acceptor.class);

    /** Strangers that connect and say nothing shall not take all file descriptors. */
    static final int HANDSHAKES_MAX = 1024;
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(200);

    private final ControlledFabric fabric;
    private final ControlLoop loop;
    private final ServerSocketChannel channel;
    private final ConnectionHandler handler;
    private final long handshakeTimeoutNs;
    private int handshakes;
    private boolean isPaused;

    Acceptor(ControlledFabric fabric, ControlLoop loop, ServerSocketChannel channel, ConnectionHandler handler,
            long handshakeTimeoutNs) {
        this.fabric = fabric;
        this.loop = loop;
        this.channel = channel;
        this.handler = handler;
        this.handshakeTimeoutNs = handshakeTimeoutNs;
    }

    void start() {
        loop.watch(channel, SelectionKey.OP_ACCEPT, this);
    }

    @Override
    public void onReady() {
        if (isPaused) {
            return;
        }
        try {
            SocketChannel accepted = channel.accept();
            if (accepted == null) {
                return;
            }
            if (handshakes == HANDSHAKES_MAX) {
                LOGGER.warn("{} handshakes under way; connection from {} is dropped", handshakes,
                        accepted.getRemoteAddress());
                accepted.close();
                return;
            }
            ControlSocket socket = ControlSocket.over(accepted, loop::wakeup);
            socket.secure(fabric.tls(), false);
            handshakes++;
            loop.watch(accepted, SelectionKey.OP_READ,
                    new IncomingHandshake(fabric, loop, socket, handler, handshakeTimeoutNs, this::onHandshakeEnd));
        } catch (IOException e) {
            if (channel.isOpen()) {
                // Most likely no file descriptor is left: the connection stays pending and would be reported without end.
                LOGGER.warn("cannot accept connections at present: {}; look at ulimit -n", e.getMessage());
                pause();
            }
        }
    }

    private void onHandshakeEnd() {
        handshakes--;
        fabric.onHandshakeEnd();
    }

    private void pause() {
        isPaused = true;
        loop.watch(channel, 0, this);
        loop.after(PAUSE_NS, () -> {
            isPaused = false;
            loop.watch(channel, SelectionKey.OP_ACCEPT, this);
        });
    }
}
