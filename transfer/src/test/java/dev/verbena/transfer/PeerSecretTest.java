package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.DataInputStream;
import java.io.IOException;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Who is let in by devices that have a secret. */
@Timeout(60)
class PeerSecretTest {
    private static final PeerSecret SECRET = secret("0123456789abcdef");
    private static final int MAGIC = 0x5652_424e;
    private static final int VERSION = 4;
    private static final int HELLO = 0;
    private static final int REFUSE = 3;
    private static final int KNOCK = 11;
    private static final int CHALLENGE = 12;

    @TempDir
    Path directory;

    private static PeerSecret secret(String text) {
        return PeerSecret.of(text.getBytes(StandardCharsets.US_ASCII));
    }

    private static RdmaDevice device(String name, PeerSecret secret) {
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("shm").withName(name).withQueueDepth(16);
        RdmaDevice device = RdmaDevice.create(options.withNetwork(options.network().withSecret(secret)));
        device.handle("echo", (_, request) -> request);
        return device;
    }

    private static byte[] call(RdmaDevice from, RdmaDevice to) {
        return from.call(to.endpoint(), "echo", new byte[]{7}, Duration.ofSeconds(20));
    }

    private static String refusal(PeerSecret connecting, PeerSecret accepting) {
        try (RdmaDevice from = device("from", connecting); RdmaDevice to = device("to", accepting)) {
            return assertThrows(TransferException.class, () -> call(from, to)).getMessage();
        }
    }

    @Test
    void whoKnowsItIsLetIn() {
        try (RdmaDevice from = device("from", SECRET); RdmaDevice to = device("to", secret("0123456789abcdef"))) {
            assertEquals(7, call(from, to)[0]);
            assertEquals(7, call(to, from)[0]);
        }
    }

    @Test
    void whoDoesNotIsToldSo() {
        String none = refusal(null, SECRET);
        assertTrue(none.contains("must know the secret, and shows none") && none.contains("VERBENA_SECRET_FILE"), none);
        String unasked = refusal(SECRET, null);
        assertTrue(unasked.contains("wants this side to know a secret") && unasked.contains("VERBENA_SECRET_FILE"),
                unasked);
        String another = refusal(secret("another secret!!"), SECRET);
        assertTrue(another.contains("different secrets") && !another.contains("another secret"), another);
    }

    private static byte[] frame(int type, byte[] payload) {
        return ByteBuffer.allocate(12 + payload.length).putInt(MAGIC).putShort((short) VERSION).putShort((short) type)
                .putInt(payload.length).put(payload).array();
    }

    /** A stranger's word is worth nothing: neither a hello that is read, nor a nonce that comes back, tells anything. */
    @Test
    void aStrangerHearsANonceAndARefusal() throws IOException {
        try (RdmaDevice device = device("asked", SECRET);
                Socket socket = new Socket(device.endpoint().host(), device.endpoint().port())) {
            socket.setSoTimeout(20_000);
            DataInputStream in = new DataInputStream(socket.getInputStream());
            socket.getOutputStream().write(frame(KNOCK, new byte[32]));
            assertEquals(CHALLENGE, type(in));
            assertEquals(32, in.readInt());
            in.readNBytes(32);
            socket.getOutputStream().write(frame(HELLO, new byte[200]));
            assertEquals(REFUSE, type(in));
            String text = new String(in.readNBytes(in.readInt()), StandardCharsets.UTF_8);
            assertEquals("the two sides have different secrets", text);
            assertEquals(-1, in.read());
        }
    }

    private static int type(DataInputStream in) throws IOException {
        assertEquals(MAGIC, in.readInt());
        assertEquals(VERSION, in.readShort());
        return in.readShort();
    }

    // ---- the secret itself ----

    /** RFC 4231, test case 6: a key longer than a block. */
    @Test
    void itSignsByHmacSha256() {
        byte[] key = new byte[131];
        Arrays.fill(key, (byte) 0xaa);
        byte[] data = "Test Using Larger Than Block-Size Key - Hash Key First".getBytes(StandardCharsets.US_ASCII);
        byte[] signature = PeerSecret.of(key).sign(ByteBuffer.wrap(data, 0, 10), ByteBuffer.wrap(data, 10, 44));
        assertEquals("60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54",
                HexFormat.of().formatHex(signature));
    }

    @Test
    void itIsNotShortAndIsNotShown() {
        assertThrows(IllegalArgumentException.class, () -> PeerSecret.of(new byte[15]));
        assertThrows(IllegalArgumentException.class, () -> PeerSecret.of(new byte[4097]));
        assertEquals(SECRET, secret("0123456789abcdef"));
        assertNotEquals(SECRET, secret("0123456789abcdeg"));
        String shown = NetworkOptions.defaults().withSecret(SECRET).toString();
        assertFalse(shown.contains("0123"), shown);
    }

    @Test
    void aFileThatOthersMayReadIsRefused() throws IOException {
        Path file = Files.writeString(directory.resolve("secret"), "0123456789abcdef\n");
        Map<String, String> environment = Map.of("VERBENA_SECRET_FILE", file.toString());
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r-----"));
        String open = assertThrows(IllegalArgumentException.class, () -> NetworkOptions.ofEnvironment(environment))
                .getMessage();
        assertTrue(open.contains("VERBENA_SECRET_FILE") && open.contains("chmod 600"), open);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-------"));
        assertEquals(SECRET, NetworkOptions.ofEnvironment(environment).secret());
        assertNull(NetworkOptions.ofEnvironment(Map.of("VERBENA_SECRET_FILE", " ")).secret());
        Files.writeString(file, "short\n");
        assertThrows(IllegalArgumentException.class, () -> PeerSecret.ofFile(file));
        Files.delete(file);
        assertThrows(IllegalArgumentException.class, () -> PeerSecret.ofFile(file));
    }
}
