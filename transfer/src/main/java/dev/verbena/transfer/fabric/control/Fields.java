package dev.verbena.transfer.fabric.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.verbena.transfer.Endpoint;

/**
 * How what a peer says is put into a frame and read again: big-endian, texts with their length before them. A peer may
 * say anything; what is out of range is a {@link ProtocolException}.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class Fields {
    private static final int TEXT_BYTE_SIZE_MAX = 512;

    private Fields() {}

    /** @throws IllegalArgumentException if a process may not be called so */
    public static void checkName(String name) {
        if (!isText(name) || name.getBytes(StandardCharsets.UTF_8).length > TEXT_BYTE_SIZE_MAX) {
            throw new IllegalArgumentException("name='" + name + "' must be 1 to " + TEXT_BYTE_SIZE_MAX
                    + " bytes without control characters");
        }
    }

    /** Every hello begins with the name of the fabric that says it. */
    public static void checkFabric(ByteBuffer buffer, String own) throws ProtocolException {
        String other = text(buffer);
        if (!other.equals(own)) {
            throw new ProtocolException("this side speaks fabric '" + own + "', the other '" + other
                    + "'; give both the same --fabric");
        }
    }

    private static boolean isText(String text) {
        return !text.isBlank() && text.chars().noneMatch(Character::isISOControl);
    }

    public static int inRange(int value, int min, int max) throws ProtocolException {
        if (value < min || value > max) {
            throw new ProtocolException("malformed handshake: " + value + " is not in " + min + ".." + max);
        }
        return value;
    }

    public static void putText(ByteBuffer buffer, String text) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        buffer.putShort((short) bytes.length).put(bytes);
    }

    public static String text(ByteBuffer buffer) throws ProtocolException {
        byte[] bytes = new byte[inRange(buffer.getShort(), 1, TEXT_BYTE_SIZE_MAX)];
        buffer.get(bytes);
        String text = new String(bytes, StandardCharsets.UTF_8);
        if (!isText(text)) {
            throw new ProtocolException("malformed handshake: a text is blank or has control characters");
        }
        return text;
    }

    public static void putEndpoint(ByteBuffer buffer, Endpoint endpoint) {
        putText(buffer, endpoint.host());
        buffer.putInt(endpoint.port());
    }

    public static Endpoint endpoint(ByteBuffer buffer) throws ProtocolException {
        String host = text(buffer);
        return new Endpoint(host, inRange(buffer.getInt(), 0, 65_535));
    }
}
