package dev.verbena.transfer.fabric.verbs;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.CompletionStatus;

/**
 * Why a queue pair failed; payload of VERDICT.
 *
 * @param queuePair index within the connection
 * @param culprit index of the request at fault among those that were asked about; or {@link #OWN}, {@link #NOTHING}
 * @param status with which that request fails
 */
record Verdict(int queuePair, int culprit, CompletionStatus status, String text) {
    /** It was not the other side's request: this side failed by itself. */
    static final int OWN = -1;
    /** Nothing is known to be wrong here. */
    static final int NOTHING = -2;

    private static final int TEXT_BYTE_SIZE_MAX = 4096;
    private static final CompletionStatus[] STATUSES = CompletionStatus.values();
    private static final int HEAD_BYTE_SIZE = 12;

    /** Of this side's own failure. */
    static Verdict own(int queuePair, String text) {
        return new Verdict(queuePair, OWN, CompletionStatus.WORK_REQUEST_FLUSHED, text);
    }

    /** Nothing. */
    static Verdict nothing(int queuePair) {
        return new Verdict(queuePair, NOTHING, CompletionStatus.RETRY_EXCEEDED, "");
    }

    ByteBuffer encode() {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int byteSize = Math.min(bytes.length, TEXT_BYTE_SIZE_MAX);
        return ByteBuffer.allocate(HEAD_BYTE_SIZE + byteSize).putInt(queuePair).putInt(culprit).putInt(status.ordinal())
                .put(bytes, 0, byteSize).flip();
    }

    static Verdict decode(ByteBuffer buffer, int queuePairCount) throws ProtocolException {
        Fields.inRange(buffer.remaining(), HEAD_BYTE_SIZE, HEAD_BYTE_SIZE + TEXT_BYTE_SIZE_MAX);
        return new Verdict(Fields.inRange(buffer.getInt(), 0, queuePairCount - 1),
                Fields.inRange(buffer.getInt(), NOTHING, Suspects.COUNT_MAX - 1),
                STATUSES[Fields.inRange(buffer.getInt(), 0, STATUSES.length - 1)],
                StandardCharsets.UTF_8.decode(buffer).toString().replaceAll("\\p{Cntrl}", " "));
    }
}
