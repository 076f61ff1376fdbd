package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Holdings;
import dev.verbena.transfer.PeerSecret;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/** Handshakes that are nearly right, at a fabric that listens; {@code -Dverbena.malformed.handshakes=1000000} says more. */
@Timeout(3600)
class MalformedHandshakesTest {
    private static final NetworkOptions NETWORK = NetworkOptions.defaults().withPeerTimeoutMs(0);
    private static final int COUNT = Integer.getInteger("verbena.malformed.handshakes", 10_000);
    private static final int CONNECTED_COUNT = COUNT / 10;
    /** "VRBN", version 4, HELLO. */
    private static final long FRAME_BEGIN = 0x5652_424e_0004_0000L;

    private static final int WELCOME = 1;
    private static final int READY = 2;
    private static final int REFUSE = 3;
    private static final int KNOCK = 11;
    private static final int FRAME_TYPE_COUNT = 13;
    private static final int NONCE_BYTE_SIZE = 32;

    private final CountDownLatch trueOne = new CountDownLatch(1);

    private static List<QueuePairOptions> options(CompletionQueue queue, int count) {
        return Collections.nCopies(count, new QueuePairOptions(queue, 4, 4, TimeUnit.SECONDS.toNanos(10)));
    }

    private static byte[] frame(ByteBuffer hello) {
        int byteSize = hello.remaining();
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + byteSize).putLong(FRAME_BEGIN).putInt(byteSize)
                .put(hello).array();
    }

    /** Returns when it has been answered or hung up on. */
    private static void say(Endpoint endpoint, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(endpoint.host(), endpoint.port())) {
            socket.setSoTimeout(20_000);
            // No port shall wait for stray packets.
            socket.setSoLinger(true, 0);
            try {
                socket.getOutputStream().write(bytes);
                socket.shutdownOutput();
                socket.getInputStream().readAllBytes();
            } catch (SocketException e) {
                assertTrue(e.getMessage().contains("reset") || e.getMessage().contains("pipe"), e.toString());
            }
        }
    }

    /** Frames that a connection hears: with nothing, with noise, of types that are and that are not. */
    private static byte[] someFrames(Random random) {
        ByteBuffer frames = ByteBuffer.allocate(4096);
        for (int left = random.nextInt(5); left >= 0; left--) {
            byte[] payload = new byte[random.nextInt(3) * random.nextInt(100)];
            random.nextBytes(payload);
            frames.putLong(FRAME_BEGIN | random.nextInt(FRAME_TYPE_COUNT + 2)).putInt(payload.length).put(payload);
        }
        return mutated(Arrays.copyOf(frames.array(), frames.position()), random);
    }

    /** Who connects by hand: each time it knocks, and says a hello that fits. */
    private record Caller(ShmFabric fabric, Endpoint endpoint, SharedFile link, List<QueuePairOptions> options) {
        private Door.Knock knock() throws IOException {
            try {
                return fabric.knock(new InetSocketAddress(endpoint.host(), endpoint.port()));
            } catch (ProtocolException e) {
                throw new AssertionError(e);
            }
        }

        private byte[] hello(Door.Knock knock) {
            return frame(fabric.hello(knock.number(), link.identity(), options).encode());
        }

        void say(UnaryOperator<byte[]> ofHello) throws IOException {
            try (Door.Knock knock = knock()) {
                MalformedHandshakesTest.say(endpoint, ofHello.apply(hello(knock)));
            }
        }

        void sayConnected(byte[] bytes) throws IOException {
            try (Door.Knock knock = knock()) {
                MalformedHandshakesTest.sayConnected(endpoint, hello(knock), bytes);
            }
        }
    }

    /** It may take itself for connected, and then hears why it is not. */
    @Test
    void whoIsWelcomeAndNeverReadyIsToldThatItTookTooLong() throws IOException {
        ShmFiles directory = ShmFiles.ofEnvironment();
        try (ShmFabric fabric = ShmFabric.open(directory, TimeUnit.SECONDS.toNanos(2), NETWORK);
                ShmFabric other = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, NETWORK)) {
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "patient",
                    new Welcoming(fabric.createCompletionQueue(64)));
            List<QueuePairOptions> options = options(other.createCompletionQueue(64), 2);
            try (SharedFile link = other.createLinkFile(options)) {
                Caller caller = new Caller(other, endpoint, link, options);
                try (Door.Knock knock = caller.knock(); Socket socket = new Socket(endpoint.host(), endpoint.port())) {
                    socket.setSoTimeout(60_000);
                    socket.getOutputStream().write(caller.hello(knock));
                    DataInputStream in = new DataInputStream(socket.getInputStream());
                    assertEquals(FRAME_BEGIN | WELCOME, in.readLong());
                    in.readNBytes(in.readInt());
                    assertEquals(FRAME_BEGIN | REFUSE, in.readLong());
                    assertEquals("the handshake did not end within 4000 ms",
                            new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8));
                }
            }
        }
    }

    /** Makes a connection, says that, hangs up. */
    private static void sayConnected(Endpoint endpoint, byte[] hello, byte[] bytes) throws IOException {
        try (Socket socket = new Socket(endpoint.host(), endpoint.port())) {
            socket.setSoTimeout(20_000);
            socket.setSoLinger(true, 0);
            socket.getOutputStream().write(hello);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            assertEquals(FRAME_BEGIN | WELCOME, in.readLong());
            in.readNBytes(in.readInt());
            try {
                socket.getOutputStream().write(
                        ByteBuffer.allocate(Long.BYTES + Integer.BYTES + bytes.length).putLong(FRAME_BEGIN | READY)
                                .putInt(0).put(bytes).array());
                socket.shutdownOutput();
            } catch (SocketException e) {
                assertTrue(e.getMessage().contains("reset") || e.getMessage().contains("pipe"), e.toString());
            }
        }
    }

    /** Whatever a peer says that was let in: its connection ends, once, and no other. */
    @Test
    void connectionsThatHearNoiseEndAndLeaveNothing() throws IOException, InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ShmFiles directory = ShmFiles.ofEnvironment();
        try (ShmFabric fabric = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, NETWORK);
                ShmFabric other = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, NETWORK)) {
            Welcoming handler = new Welcoming(fabric.createCompletionQueue(64));
            CompletionQueue otherQueue = other.createCompletionQueue(64);
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "attacked", handler);
            List<QueuePairOptions> options = options(otherQueue, 2);
            try (Connection innocent = other.connect(endpoint, options, TimeUnit.SECONDS.toNanos(20));
                    SharedFile link = other.createLinkFile(options)) {
                Caller caller = new Caller(other, endpoint, link, options);
                caller.sayConnected(new byte[0]);
                handler.closeNextLost(seed);
                Holdings before = Holdings.now();
                long registered = fabric.registeredByteSize();
                for (int i = 0; i < CONNECTED_COUNT; i++) {
                    caller.sayConnected(someFrames(random));
                    handler.closeNextLost(seed);
                }
                before.assertNothingMore("seed=" + seed);
                assertEquals(registered, fabric.registeredByteSize(), "seed=" + seed);
                assertNull(innocent.lostCause(), "seed=" + seed);
                assertEquals(0, handler.lost.size(), "seed=" + seed);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void neitherHarmNorLeaveAnything(boolean hasSecret) throws IOException, InterruptedException {
        PeerSecret secret = hasSecret ? PeerSecret.of(new byte[32]) : null;
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ShmFiles directory = ShmFiles.ofEnvironment();
        try (ShmFabric fabric = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, NETWORK.withSecret(secret));
                ShmFabric other = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS,
                        NETWORK.withSecret(secret))) {
            CompletionQueue queue = fabric.createCompletionQueue(64);
            CompletionQueue otherQueue = other.createCompletionQueue(64);
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "attacked", new Welcoming(queue));
            List<QueuePairOptions> options = options(otherQueue, 2);
            try (SharedFile link = other.createLinkFile(options)) {
                Caller caller = new Caller(other, endpoint, link, options);
                UnaryOperator<byte[]> begin = hasSecret ? MalformedHandshakesTest::knocking : hello -> hello;
                caller.say(begin);
                Holdings before = Holdings.now();
                long registered = fabric.registeredByteSize();
                for (int i = 0; i < COUNT; i++) {
                    caller.say(hello -> mutated(begin.apply(hello), random));
                }
                before.assertNothingMore("seed=" + seed);
                assertEquals(registered, fabric.registeredByteSize(), "seed=" + seed);
            }
            try (Connection connection = other.connect(endpoint, options, TimeUnit.SECONDS.toNanos(20))) {
                assertTrue(trueOne.await(20, TimeUnit.SECONDS), "seed=" + seed);
                assertEquals(2, connection.queuePairs().size());
            }
        }
    }

    /** A hello without a proof, behind a nonce. */
    private static byte[] knocking(byte[] hello) {
        return ByteBuffer.allocate(Long.BYTES + Integer.BYTES + NONCE_BYTE_SIZE + hello.length)
                .putLong(FRAME_BEGIN | KNOCK).putInt(NONCE_BYTE_SIZE).put(new byte[NONCE_BYTE_SIZE]).put(hello).array();
    }

    private static byte[] mutated(byte[] good, Random random) {
        byte[] bytes = random.nextInt(4) == 0 ? Arrays.copyOf(good, random.nextInt(good.length + 8)) : good.clone();
        for (int changes = random.nextInt(4); changes > 0 && bytes.length > 0; changes--) {
            bytes[random.nextInt(bytes.length)] = (byte) random.nextInt();
        }
        return bytes;
    }

    /** Takes whoever is let through. */
    private final class Welcoming implements ConnectionHandler {
        private final CompletionQueue queue;
        private final BlockingQueue<Connection> lost = new LinkedBlockingQueue<>();

        Welcoming(CompletionQueue queue) {
            this.queue = queue;
        }

        @Override
        public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
            return options(queue, queuePairCount);
        }

        @Override
        public void onAccepted(Connection connection) {
            // Of the mutated ones none says READY.
            trueOne.countDown();
        }

        @Override
        public void onLost(Connection connection, boolean orderly, String cause) {
            lost.add(connection);
        }

        void closeNextLost(long seed) throws InterruptedException {
            Connection ended = lost.poll(20, TimeUnit.SECONDS);
            assertNotNull(ended, "seed=" + seed + ": a connection was not lost");
            ended.close();
        }
    }
}
