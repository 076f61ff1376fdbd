package dev.verbena.transfer.fabric.control;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * A message on the control socket, big-endian:
 *
 * <pre>
 *   0  magic    int    "VRBN"
 *   4  version  short
 *   6  type     short  {@link Type} ordinal
 *   8  byteSize int    of the payload, at most {@link #PAYLOAD_BYTE_SIZE_MAX}
 *  12  payload
 * </pre>
 *
 * <p>The header and REFUSE are the same in every version, so that versions can tell each other that they differ.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to who reads it.
 */
public record Frame(Type type, ByteBuffer payload) {
    /** What a message is for. */
    public enum Type {
        /** Who connects, and what the fabric needs to know of it. */
        HELLO,
        /** The same of who accepts; it can reach the other. */
        WELCOME,
        /** Who connected can reach the other too. */
        READY,
        /** A text that says why not; the socket is closed behind it. */
        REFUSE,
        /** shm: the sender has deregistered regions, unmap them. */
        SWEEP,
        /** verbs: a queue pair failed; the text of the request that did it. */
        FAILED,
        /** verbs: a connection ended, and the device does not say why; the requests that may have been the cause. */
        SUSPECTS,
        /** verbs: what became clear of the failure, for both sides. */
        VERDICT,
        /** verbs: the sender closes the connection, on purpose or because it must. */
        FAREWELL,
        /** Is anybody there? Whoever hears it says PONG, whatever its program does. */
        PING,
        /** The answer. */
        PONG,
        /** Who connects wants the other to know the secret, and shows that it does: its nonce. {@link Authentication} */
        KNOCK,
        /** The nonce of who accepts. */
        CHALLENGE
    }

    static final int MAGIC = 0x5652_424e;
    static final short VERSION = 4;
    /** The first byte of who speaks TLS (RFC 8446, 5.1: ContentType handshake). */
    private static final byte TLS_HANDSHAKE = 22;
    static final int HEADER_BYTE_SIZE = 12;
    public static final int PAYLOAD_BYTE_SIZE_MAX = 64 << 10;

    private static final Type[] TYPES = Type.values();

    static ByteBuffer encode(Type type, ByteBuffer payload) {
        ByteBuffer frame = ByteBuffer.allocate(HEADER_BYTE_SIZE + payload.remaining());
        frame.putInt(MAGIC).putShort(VERSION).putShort((short) type.ordinal()).putInt(payload.remaining()).put(payload);
        return frame.flip();
    }

    /** Takes one frame out of the buffer. @return null if it is not complete yet */
    static Frame decode(ByteBuffer buffer) throws ProtocolException {
        int start = buffer.position();
        checkMagic(buffer);
        if (buffer.remaining() < HEADER_BYTE_SIZE) {
            return null;
        }
        short version = buffer.getShort(start + 4);
        int type = buffer.getShort(start + 6);
        int byteSize = buffer.getInt(start + 8);
        if (version != VERSION && type != Type.REFUSE.ordinal()) {
            throw new ProtocolException("version " + version + " of the handshake meets version " + VERSION
                    + ", which is " + (version < VERSION ? "newer" : "older")
                    + "; use the same Verbena on both sides");
        }
        if (type < 0 || type >= TYPES.length || byteSize < 0 || byteSize > PAYLOAD_BYTE_SIZE_MAX) {
            throw new ProtocolException("malformed frame: type=" + type + " byteSize=" + byteSize);
        }
        if (buffer.remaining() < HEADER_BYTE_SIZE + byteSize) {
            return null;
        }
        ByteBuffer payload = ByteBuffer.allocate(byteSize);
        payload.put(0, buffer, start + HEADER_BYTE_SIZE, byteSize);
        buffer.position(start + HEADER_BYTE_SIZE + byteSize);
        return new Frame(TYPES[type], payload);
    }

    /** Already the first wrong byte tells a stranger. */
    private static void checkMagic(ByteBuffer buffer) throws ProtocolException {
        int start = buffer.position();
        for (int i = 0; i < Math.min(buffer.remaining(), Integer.BYTES); i++) {
            if (buffer.get(start + i) != (byte) (MAGIC >>> 8 * (3 - i))) {
                if (buffer.get(start) == TLS_HANDSHAKE) {
                    throw new ProtocolException("one side speaks TLS, the other plain text" + TlsLayer.BOTH);
                }
                byte[] first = new byte[Math.min(buffer.remaining(), 16)];
                buffer.get(start, first);
                throw new ProtocolException("not a Verbena process, it says '"
                        + new String(first, StandardCharsets.ISO_8859_1).replaceAll("[^ -~]", ".") + "'");
            }
        }
    }
}
