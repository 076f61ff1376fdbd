package dev.verbena.testing;

import static dev.verbena.transfer.spi.CompletionStatus.SUCCESS;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Opcode;

/** Port scanners, other programs and other versions: an error for them, no harm for the others. */
@Timeout(60)
class ShmStrangersTest {
    private FabricPair pair;

    @BeforeEach
    void connect() {
        pair = new FabricPair(ShmFabricContractTest.openShm(), ShmFabricContractTest.openShm(),
                FabricPair.Options.DEFAULT);
    }

    @AfterEach
    void close() {
        pair.close();
    }

    private void assertUnharmed() {
        pair.run(pair.initiator.request(1, Opcode.WRITE, 0, 8, pair.target, 0), SUCCESS);
        int accepted = pair.target.accepted.size();
        pair.initiator.fabric.connect(pair.target.endpoint, pair.initiator.queuePairOptions(1),
                TimeUnit.SECONDS.toNanos(20));
        pair.await("one more is accepted", () -> pair.target.accepted.size() == accepted + 1);
        assertTrue(pair.target.lost.isEmpty(), pair.target.lost.toString());
    }

    private Socket stranger() throws IOException {
        return new Socket("127.0.0.1", pair.target.endpoint.port());
    }

    /** Says it, and returns what the other end says until it hangs up. */
    private byte[] say(byte[] bytes) throws IOException {
        try (Socket socket = stranger()) {
            socket.setSoTimeout(20_000);
            socket.getOutputStream().write(bytes);
            return socket.getInputStream().readAllBytes();
        } catch (java.net.SocketException reset) {
            return new byte[0]; // it hung up before it had read everything
        }
    }

    private static byte[] frame(int magic, int version, int type, int byteSize, byte... payload) {
        return ByteBuffer.allocate(12 + payload.length).putInt(magic).putShort((short) version).putShort((short) type)
                .putInt(byteSize).put(payload).array();
    }

    private static final int MAGIC = 0x5652_424e;
    private static final int VERSION = 4;

    @Test
    void garbageIsHungUpOn() throws IOException {
        say("GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
        say("V".repeat(100_000).getBytes(StandardCharsets.US_ASCII));
        say(frame(MAGIC, VERSION, 0, Integer.MAX_VALUE));
        say(frame(MAGIC, VERSION, 0, -1));
        say(frame(MAGIC, VERSION, 77, 0));
        say(frame(MAGIC, VERSION, 2, 0));
        say(frame(MAGIC, VERSION, 0, 0));
        assertUnharmed();
        assertEquals(2, pair.target.requests.size(), "none of them reached the handler: " + pair.target.requests);
    }

    @Test
    void randomBytesInsideAValidFrameAreHungUpOn() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        for (int i = 0; i < 200; i++) {
            byte[] payload = new byte[random.nextInt(300)];
            random.nextBytes(payload);
            say(frame(MAGIC, VERSION, 0, payload.length, payload));
        }
        assertUnharmed();
        assertEquals(2, pair.target.requests.size(), "seed=" + seed + " " + pair.target.requests);
    }

    @Test
    void anotherVersionIsToldSo() throws IOException {
        byte[] answer = say(frame(MAGIC, VERSION + 1, 0, 4, new byte[4]));
        String text = new String(answer, StandardCharsets.UTF_8);
        assertTrue(text.contains("version 5 of the handshake meets version 4, which is older"), text);
        assertUnharmed();
    }

    @Test
    void silentAndHastyConnectionsAreHarmless() throws IOException {
        LeakCheck leaks = LeakCheck.begin(Path.of("/dev/shm"));
        for (int i = 0; i < 100; i++) {
            Socket socket = stranger();
            if (i % 3 == 0) {
                socket.setSoLinger(true, 0); // ends with a reset
            }
            if (i % 2 == 0) {
                socket.getOutputStream().write(frame(MAGIC, VERSION, 0, 1000)); // half a handshake
            }
            socket.close();
        }
        leaks.assertNothingGrew();
        try (Socket silent = stranger()) {
            assertTrue(silent.isConnected());
            assertUnharmed();
        }
    }

    private String messageOfConnectingTo(ServerSocket server) {
        Endpoint endpoint = new Endpoint("127.0.0.1", server.getLocalPort());
        return assertThrows(TransferException.class, () -> pair.initiator.fabric.connect(endpoint,
                pair.initiator.queuePairOptions(1), TimeUnit.MILLISECONDS.toNanos(500))).getMessage();
    }

    @Test
    void connectingToAnotherProgramSaysWhatItIs() throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofPlatform().start(() -> answer(server, "SSH-2.0-OpenSSH_9.2\r\n"
                    .getBytes(StandardCharsets.US_ASCII)));
            String message = messageOfConnectingTo(server);
            assertTrue(message.contains("not a Verbena process") && message.contains("SSH-2.0"), message);
            thread.join();
        }
    }

    @Test
    void connectingToOneWhoHangsUpOrSaysNothingEnds() throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            String silent = messageOfConnectingTo(server);
            assertTrue(silent.matches(".*: no answer to the handshake for \\d+ ms"), silent);
        }
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofPlatform().start(() -> answer(server, new byte[0]));
            String closed = messageOfConnectingTo(server);
            assertTrue(closed.contains("127.0.0.1:" + server.getLocalPort()), closed);
            thread.join();
        }
    }

    @Test
    void oneWhoSaysNothingIsGivenUpInItsTimeWhileOthersConnect() throws IOException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Endpoint silent = new Endpoint("127.0.0.1", server.getLocalPort());
            Attempt patient = Attempt.begin(pair.initiator, silent);
            Attempt attempt = Attempt.begin(pair.initiator, silent, TimeUnit.MILLISECONDS.toNanos(300));
            for (int i = 0; i < 100; i++) {
                assertUnharmed();
            }
            pair.await("it is given up", attempt::isOver);
            attempt.assertFailed("no answer to the handshake for ");
            assertFalse(patient.isOver(), "it has more time");
        }
    }

    /** The time until somebody listened is none that a handshake took. */
    @Test
    void howLongAHandshakeTookDoesNotCountTheWaitForAListener() throws IOException {
        ServerSocket late = new ServerSocket(0, 5, InetAddress.getLoopbackAddress());
        late.close();
        Attempt attempt = Attempt.begin(pair.initiator, new Endpoint("127.0.0.1", late.getLocalPort()),
                TimeUnit.SECONDS.toNanos(2));
        // The control thread begins them in turn: when this one is connected, the other one has found nobody.
        assertUnharmed();
        try (ServerSocket server = new ServerSocket(late.getLocalPort(), 5, InetAddress.getLoopbackAddress())) {
            pair.await("it is given up", attempt::isOver);
            assertTrue(server.isBound());
        }
        Matcher times = Pattern
                .compile(".*: no answer to the handshake for (\\d+) ms, after (\\d+) ms until somebody listened there")
                .matcher(attempt.failure());
        assertTrue(times.matches(), attempt.failure());
        assertTrue(Long.parseLong(times.group(1)) + Long.parseLong(times.group(2)) >= 1999, attempt.failure());
    }

    @Test
    void connectingToAnotherVersionSaysSo() throws IOException, InterruptedException {
        try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Thread thread = Thread.ofPlatform().start(() -> answer(server, frame(MAGIC, VERSION - 1, 1, 0)));
            String message = messageOfConnectingTo(server);
            assertTrue(message.contains("version 3 of the handshake meets version 4, which is newer"), message);
            thread.join();
        }
    }

    private static void answer(ServerSocket server, byte[] bytes) {
        try (Socket socket = server.accept()) {
            socket.getOutputStream().write(bytes);
            socket.shutdownOutput();
            socket.getInputStream().readAllBytes();
        } catch (IOException e) {
            return; // the other end has hung up already
        }
    }
}
