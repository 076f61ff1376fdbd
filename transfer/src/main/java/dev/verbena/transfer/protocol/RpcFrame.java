package dev.verbena.transfer.protocol;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.verbena.transfer.TransferException;

/**
 * One message of the small RPC.
 *
 * <pre>
 *  0      1               9               11
 * +------+---------------+---------------+------------------+---------+
 * | kind | correlation id| method length | method, UTF-8    | payload |
 * +------+---------------+---------------+------------------+---------+
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record RpcFrame(Kind kind, long correlationId, String method, byte[] payload) {
    /** DESIGN: limits, message of the control plane. */
    static final int BYTE_SIZE_MAX = 64 * 1024;

    private static final int HEADER = 1 + Long.BYTES + Short.BYTES;

    enum Kind {
        REQUEST, REPLY,
        /** The handler failed; the payload is its message. */
        ERROR
    }

    byte[] encode() {
        byte[] name = method.getBytes(StandardCharsets.UTF_8);
        long byteSize = (long) HEADER + name.length + payload.length;
        if (byteSize > BYTE_SIZE_MAX) {
            throw new TransferException(
                    "message too large: method=" + method + " byteSize=" + byteSize + " byteSizeMax="
                            + BYTE_SIZE_MAX + "; send bulk data as tensors");
        }
        return ByteBuffer.allocate((int) byteSize).put((byte) kind.ordinal()).putLong(correlationId)
                .putShort((short) name.length).put(name).put(payload).array();
    }

    /** @throws TransferException if it is no frame */
    static RpcFrame decode(ByteBuffer buffer) {
        if (buffer.remaining() < HEADER) {
            throw new TransferException(
                    "malformed message: byteSize=" + buffer.remaining() + " headerByteSize=" + HEADER);
        }
        int kind = buffer.get();
        long correlationId = buffer.getLong();
        int nameLength = Short.toUnsignedInt(buffer.getShort());
        if (kind < 0 || kind >= Kind.values().length || nameLength > buffer.remaining()) {
            throw new TransferException("malformed message: kind=" + kind + " methodLength=" + nameLength);
        }
        byte[] name = new byte[nameLength];
        buffer.get(name);
        byte[] payload = new byte[buffer.remaining()];
        buffer.get(payload);
        return new RpcFrame(Kind.values()[kind], correlationId, new String(name, StandardCharsets.UTF_8), payload);
    }
}
