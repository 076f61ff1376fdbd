package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;

/** A listener whose control thread is busy with something else. */
class ControlListenerTest {
    private static final int VISITORS = 1024;
    private static final int HANG_MS = 20_000;

    @Test
    void aThousandMayWaitAtOnce() throws IOException {
        String limit = Files.readString(Path.of("/proc/sys/net/core/somaxconn")).strip();
        assumeTrue(Integer.parseInt(limit) >= VISITORS, "net.core.somaxconn=" + limit);
        List<Socket> visitors = new ArrayList<>();
        ControlListener listener = ControlListener.bind(new Endpoint("127.0.0.1", 0), _ -> {});
        try (var _ = listener.channel()) {
            InetSocketAddress address = new InetSocketAddress("127.0.0.1", listener.endpoint().port());
            for (int i = 0; i < VISITORS; i++) {
                Socket visitor = new Socket();
                visitors.add(visitor);
                // Throws where the queue is shorter: nobody accepts.
                visitor.connect(address, HANG_MS);
            }
            assertEquals(VISITORS, visitors.stream().filter(Socket::isConnected).count());
        } finally {
            for (Socket visitor : visitors) {
                visitor.close();
            }
        }
    }

    /** Of a port that others know beforehand: who starts at the same time finds all of it, or nothing. */
    @Test
    void whatIsPreparedIsThereBeforeThePortIs() throws IOException {
        int port = freePort();
        List<InetSocketAddress> prepared = new ArrayList<>();
        ControlListener listener = ControlListener.bind(new Endpoint("127.0.0.1", port), address -> {
            prepared.add(address);
            assertThrows(ConnectException.class, () -> new Socket(address.getAddress(), address.getPort()).close());
        });
        try (var _ = listener.channel()) {
            assertEquals(List.of(new InetSocketAddress("127.0.0.1", port)), prepared);
        }
    }

    @Test
    void ofAnyPortThatOneIsPrepared() throws IOException {
        List<InetSocketAddress> prepared = new ArrayList<>();
        ControlListener listener = ControlListener.bind(new Endpoint("127.0.0.1", 0), prepared::add);
        try (var _ = listener.channel()) {
            assertEquals(List.of(new InetSocketAddress("127.0.0.1", listener.endpoint().port())), prepared);
        }
    }

    @Test
    void thePortIsFreeIfThePreparationFails() throws IOException {
        int port = freePort();
        Endpoint local = new Endpoint("127.0.0.1", port);
        assertThrows(TransferException.class, () -> ControlListener.bind(local, _ -> {
            throw new TransferException("no");
        }));
        ControlListener.bind(local, _ -> {}).channel().close();
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }
}
