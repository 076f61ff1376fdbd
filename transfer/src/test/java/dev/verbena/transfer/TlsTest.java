package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import javax.net.ssl.SSLContext;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who connects where control sockets are encrypted, who does not, and what both hear. */
@Timeout(60)
class TlsTest {
    @TempDir
    private static Path folder;
    private static SSLContext member;
    private static SSLContext expired;
    private static SSLContext stranger;

    @BeforeAll
    static void makeCertificates() throws Exception {
        TestCertificates certificates = new TestCertificates(folder);
        member = certificates.context("trusted", "member");
        expired = certificates.context("trusted", "expired");
        stranger = certificates.context("others", "stranger");
    }

    private static RdmaDevice device(String name, SSLContext tls, PeerSecret secret) {
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withName(name).withQueueDepth(16);
        RdmaDevice device = RdmaDevice.create(
                options.withNetwork(options.network().withTls(tls).withSecret(secret).withPeerTimeoutMs(5_000)));
        device.handle("echo", (_, request) -> request);
        return device;
    }

    private static byte[] call(RdmaDevice from, Endpoint to) {
        return from.call(to, "echo", new byte[]{7}, Duration.ofSeconds(20));
    }

    private static String refusal(SSLContext connecting, SSLContext accepting) {
        try (RdmaDevice from = device("from", connecting, null); RdmaDevice to = device("to", accepting, null)) {
            return assertThrows(TransferException.class, () -> call(from, to.endpoint())).getMessage();
        }
    }

    @Test
    void whoTrustEachOtherConnectAndHearWhenTheOtherGivesUp() throws InterruptedException {
        PeerSecret secret = PeerSecret.of(new byte[16]);
        for (PeerSecret each : new PeerSecret[]{null, secret}) {
            LinkedBlockingQueue<String> losses = new LinkedBlockingQueue<>();
            try (RdmaDevice to = device("to", member, each)) {
                to.onPeerLost(losses::add);
                try (RdmaDevice from = device("from", member, each)) {
                    assertArrayEquals(new byte[]{7}, call(from, to.endpoint()));
                    assertArrayEquals(new byte[]{7}, call(to, from.endpoint()));
                    from.abort("enough");
                }
                String lost = losses.poll(20, TimeUnit.SECONDS);
                assertTrue(lost != null && lost.contains("enough"), lost);
            }
        }
    }

    @Test
    void whoIsNotTrustedIsNotLetInWhicheverSideItIs() {
        String listener = refusal(member, stranger);
        assertTrue(listener.contains("its certificate is not trusted by this side"), listener);
        String connecting = refusal(stranger, member);
        assertTrue(connecting.contains("the other side does not accept this side's certificate"), connecting);
    }

    @Test
    void anExpiredCertificateIsSaidToBe() {
        String listener = refusal(member, expired);
        assertTrue(listener.contains("its certificate has expired: NotAfter"), listener);
        String connecting = refusal(expired, member);
        assertTrue(connecting.contains("does not accept this side's certificate"), connecting);
    }

    @Test
    void bothOrNeitherSpeakIt() {
        for (String message : new String[]{refusal(null, member), refusal(member, null)}) {
            assertTrue(message.contains("one side speaks TLS, the other plain text") && message.contains("withTls"),
                    message);
        }
    }

    /** What goes over the wire before and after: nothing of a name is readable. */
    @Test
    void namesAreNotReadable() throws Exception {
        try (RdmaDevice from = device("conspicuous", member, null);
                RdmaDevice to = device("to", member, null);
                ServerSocket between = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            CompletableFuture<byte[]> heard = CompletableFuture.supplyAsync(() -> {
                try (Socket socket = between.accept()) {
                    ByteArrayOutputStream all = new ByteArrayOutputStream();
                    socket.setSoTimeout(20_000);
                    all.write(socket.getInputStream().readNBytes(100));
                    return all.toByteArray();
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
            });
            assertThrows(TransferException.class, () -> call(from, new Endpoint("127.0.0.1", between.getLocalPort())));
            byte[] said = heard.get(20, TimeUnit.SECONDS);
            assertEquals(22, said[0], "a TLS handshake");
            assertTrue(!new String(said, StandardCharsets.ISO_8859_1).contains("conspicuous"));
            assertArrayEquals(new byte[]{7}, call(from, to.endpoint()));
        }
    }

    /** Noise in the midst of a handshake ends it, and nothing else. */
    @Test
    void noiseHarmsNobody() throws IOException {
        long seed = System.nanoTime();
        Random random = new Random(seed);
        try (RdmaDevice from = device("from", member, null); RdmaDevice to = device("to", member, null)) {
            assertArrayEquals(new byte[]{7}, call(from, to.endpoint()));
            for (int i = 0; i < 200; i++) {
                try (Socket socket = new Socket("127.0.0.1", to.endpoint().port())) {
                    socket.setSoTimeout(20_000);
                    byte[] noise = new byte[1 + random.nextInt(2_000)];
                    random.nextBytes(noise);
                    if (random.nextBoolean()) {
                        noise[0] = 22;
                    }
                    socket.getOutputStream().write(noise);
                    socket.shutdownOutput();
                    socket.getInputStream().readAllBytes();
                } catch (java.net.SocketException e) {
                    assertTrue(e.getMessage().contains("reset") || e.getMessage().contains("pipe"), "seed=" + seed);
                }
            }
            assertArrayEquals(new byte[]{7}, call(from, to.endpoint()), "seed=" + seed);
        }
    }
}
