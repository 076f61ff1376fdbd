package dev.verbena.transfer.fabric.verbs;

import java.nio.ByteBuffer;

import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

/**
 * What one side asks the other about a request that the device refused without saying why; payload of FAILED.
 *
 * @param queuePair index within the connection
 */
record FailedRequest(int queuePair, CompletionStatus status, Opcode opcode, long byteSize, long remoteAddress,
        int rkey) {
    private static final CompletionStatus[] STATUSES = CompletionStatus.values();
    private static final Opcode[] OPCODES = Opcode.values();

    ByteBuffer encode() {
        return ByteBuffer.allocate(32).putInt(queuePair).putShort((short) status.ordinal())
                .putShort((short) opcode.ordinal()).putLong(byteSize).putLong(remoteAddress).putInt(rkey).flip();
    }

    static FailedRequest decode(ByteBuffer buffer, int queuePairCount) throws ProtocolException {
        Fields.inRange(buffer.remaining(), 28, 28);
        return new FailedRequest(Fields.inRange(buffer.getInt(), 0, queuePairCount - 1),
                STATUSES[Fields.inRange(buffer.getShort(), 0, STATUSES.length - 1)],
                OPCODES[Fields.inRange(buffer.getShort(), 0, OPCODES.length - 1)], buffer.getLong(), buffer.getLong(),
                buffer.getInt());
    }

    /** In words, without what came of it. */
    String describe() {
        return opcode + " of " + byteSize + " bytes"
                + (opcode == Opcode.SEND ? ""
                        : " at address=0x" + Long.toHexString(remoteAddress) + " rkey="
                                + Integer.toUnsignedString(rkey));
    }
}
