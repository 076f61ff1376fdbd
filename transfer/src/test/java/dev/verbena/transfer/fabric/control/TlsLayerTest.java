package dev.verbena.transfer.fabric.control;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.locks.LockSupport;

import javax.net.ssl.SSLContext;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.transfer.TestCertificates;

/** Frames over TLS, of two sockets that one thread drives. */
@Timeout(60)
class TlsLayerTest {
    @TempDir
    private static Path folder;
    private static SSLContext context;

    private ControlSocket client;
    private ControlSocket server;

    @BeforeAll
    static void makeCertificates() throws Exception {
        context = new TestCertificates(folder).context("trusted", "member");
    }

    @BeforeEach
    void connect() throws Exception {
        try (ServerSocketChannel listener = ServerSocketChannel.open().bind(new InetSocketAddress("127.0.0.1", 0))) {
            client = ControlSocket.over(SocketChannel.open(listener.getLocalAddress()), () -> {});
            server = ControlSocket.over(listener.accept(), () -> {});
        }
        client.secure(context, true);
        server.secure(context, false);
    }

    @AfterEach
    void close() {
        client.close();
        server.close();
    }

    /** Both sides go on until one has a frame. */
    private Frame next(ControlSocket at, ControlSocket other) throws Exception {
        while (true) {
            assertTrue(other.receive(), "the other half has not ended");
            boolean isAlive = at.receive();
            Frame frame = at.next();
            if (frame != null || !isAlive) {
                return frame;
            }
            LockSupport.parkNanos(1_000_000);
        }
    }

    @Test
    void whatIsSaidEarlyWaitsAndArrivesInOrder() throws Exception {
        client.send(Frame.Type.HELLO, ByteBuffer.wrap(new byte[]{1, 2, 3}));
        client.send(Frame.Type.READY);
        Frame hello = next(server, client);
        assertEquals(Frame.Type.HELLO, hello.type());
        assertEquals(ByteBuffer.wrap(new byte[]{1, 2, 3}), hello.payload());
        assertEquals(Frame.Type.READY, next(server, client).type());
    }

    @Test
    void largeFramesComeBothWays() throws Exception {
        byte[] payload = new byte[Frame.PAYLOAD_BYTE_SIZE_MAX];
        new Random(1).nextBytes(payload);
        client.send(Frame.Type.PING);
        next(server, client);
        for (int i = 0; i < 10; i++) {
            client.send(Frame.Type.HELLO, ByteBuffer.wrap(payload));
            assertEquals(ByteBuffer.wrap(payload), next(server, client).payload());
            server.send(Frame.Type.WELCOME, ByteBuffer.wrap(payload));
            assertEquals(ByteBuffer.wrap(payload), next(client, server).payload());
        }
    }

    /** One half ends, the other speaks on: so the end of a connection is told from the end of a process. */
    @Test
    void aHalfEndsAlone() throws Exception {
        client.send(Frame.Type.PING);
        assertNotNull(next(server, client));
        server.send(Frame.Type.PONG);
        assertNotNull(next(client, server));
        client.hangUp();
        while (server.receive()) {
            LockSupport.parkNanos(1_000_000);
        }
        server.send(Frame.Type.PING);
        Frame frame = null;
        while (frame == null) {
            assertTrue(client.receive());
            frame = client.next();
        }
        assertEquals(Frame.Type.PING, frame.type());
        server.hangUp();
        while (client.receive()) {
            LockSupport.parkNanos(1_000_000);
        }
        assertFalse(client.receive());
    }
}
