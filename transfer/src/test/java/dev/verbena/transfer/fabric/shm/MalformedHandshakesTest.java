package dev.verbena.transfer.fabric.shm;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.Socket;
import java.net.SocketException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.QueuePairOptions;

/** Handshakes that are nearly right, at a fabric that listens; {@code -Dverbena.malformed.handshakes=1000000} says more. */
@Timeout(3600)
class MalformedHandshakesTest {
    private static final int COUNT = Integer.getInteger("verbena.malformed.handshakes", 10_000);
    private static final int DESCRIPTOR_SLACK = 5;
    /** "VRBN", version 1, HELLO. */
    private static final long FRAME_BEGIN = 0x5652_424e_0001_0000L;

    private final CountDownLatch trueOne = new CountDownLatch(1);

    private static List<QueuePairOptions> options(CompletionQueue queue, int count) {
        return Collections.nCopies(count, new QueuePairOptions(queue, 4, 4, TimeUnit.SECONDS.toNanos(10)));
    }

    private static long descriptors() throws IOException {
        try (Stream<Path> all = Files.list(Path.of("/proc/self/fd"))) {
            return all.count();
        }
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

    @Test
    void neitherHarmNorLeaveAnything() throws IOException, InterruptedException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        ShmDirectory directory = ShmDirectory.ofEnvironment();
        try (ShmFabric fabric = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, 0);
                ShmFabric other = ShmFabric.open(directory, ShmFabric.HANDSHAKE_TIMEOUT_NS, 0)) {
            CompletionQueue queue = fabric.createCompletionQueue(64);
            CompletionQueue otherQueue = other.createCompletionQueue(64);
            Endpoint endpoint = fabric.listen(new Endpoint("127.0.0.1", 0), "attacked", new Welcoming(queue));
            List<QueuePairOptions> options = options(otherQueue, 2);
            try (SharedFile link = other.createLinkFile(options)) {
                byte[] good = frame(other.hello(link.identity(), options).encode());
                say(endpoint, good);
                long before = descriptors();
                for (int i = 0; i < COUNT; i++) {
                    say(endpoint, mutated(good, random));
                }
                long after = descriptors();
                assertTrue(after <= before + DESCRIPTOR_SLACK,
                        "seed=" + seed + " descriptors " + before + ", now " + after);
            }
            try (Connection connection = other.connect(endpoint, options, TimeUnit.SECONDS.toNanos(20))) {
                assertTrue(trueOne.await(20, TimeUnit.SECONDS), "seed=" + seed);
                assertEquals(2, connection.queuePairs().size());
            }
        }
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

        Welcoming(CompletionQueue queue) {
            this.queue = queue;
        }

        @Override
        public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
            return options(queue, queuePairCount);
        }

        @Override
        public void onAccepted(Connection connection) {
            // Of the others none says READY.
            trueOne.countDown();
        }

        @Override
        public void onLost(Connection connection, boolean orderly, String cause) {}
    }
}
