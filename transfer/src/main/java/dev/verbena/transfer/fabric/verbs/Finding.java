package dev.verbena.transfer.fabric.verbs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.ProtocolException;

/**
 * Why a queue pair failed; payload of FINDING.
 *
 * @param queuePair index within the connection
 */
record Finding(int queuePair, String text) {
    private static final int TEXT_BYTE_SIZE_MAX = 4096;

    ByteBuffer encode() {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int byteSize = Math.min(bytes.length, TEXT_BYTE_SIZE_MAX);
        return ByteBuffer.allocate(Integer.BYTES + byteSize).putInt(queuePair).put(bytes, 0, byteSize).flip();
    }

    static Finding decode(ByteBuffer buffer, int queuePairCount) throws ProtocolException {
        Fields.inRange(buffer.remaining(), Integer.BYTES, Integer.BYTES + TEXT_BYTE_SIZE_MAX);
        return new Finding(Fields.inRange(buffer.getInt(), 0, queuePairCount - 1),
                StandardCharsets.UTF_8.decode(buffer).toString().replaceAll("\\p{Cntrl}", " "));
    }
}
