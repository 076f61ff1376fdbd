package dev.verbena.transfer.fabric.verbs;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Opcode;

/**
 * What one side asks the other when a connection has ended and the device does not say over which request: all that may have been the
 * cause, in order; payload of SUSPECTS.
 *
 * <pre>
 *   0  queuePair      int    index within the connection
 *   then each, 26 bytes:
 *   0  opcode         short
 *   2  byteSize       long
 *  10  remoteAddress  long
 *  18  rkey           int
 *  22  messageNumber  int    of what consumes a receive: that of the receive, both counted from 0
 * </pre>
 */
record Suspects(int queuePair, List<Suspect> all) {
    /** One that may be the cause; its status is not known. */
    record Suspect(FailedRequest request, int messageNumber) {}

    /** As many as fit into a frame, a power of two. */
    static final int COUNT_MAX = 2048;

    private static final int EACH_BYTE_SIZE = 26;
    private static final Opcode[] OPCODES = Opcode.values();

    Suspects {
        all = List.copyOf(all);
    }

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Integer.BYTES + all.size() * EACH_BYTE_SIZE).putInt(queuePair);
        for (Suspect each : all) {
            FailedRequest request = each.request;
            buffer.putShort((short) request.opcode().ordinal()).putLong(request.byteSize())
                    .putLong(request.remoteAddress()).putInt(request.rkey()).putInt(each.messageNumber);
        }
        return buffer.flip();
    }

    static Suspects decode(ByteBuffer buffer, int queuePairCount) throws ProtocolException {
        Fields.inRange(buffer.remaining() % EACH_BYTE_SIZE, Integer.BYTES, Integer.BYTES);
        int queuePair = Fields.inRange(buffer.getInt(), 0, queuePairCount - 1);
        List<Suspect> all = new ArrayList<>();
        while (buffer.hasRemaining()) {
            Opcode opcode = OPCODES[Fields.inRange(buffer.getShort(), 0, OPCODES.length - 1)];
            FailedRequest request = new FailedRequest(queuePair, CompletionStatus.WORK_REQUEST_FLUSHED, opcode,
                    buffer.getLong(), buffer.getLong(), buffer.getInt());
            all.add(new Suspect(request, buffer.getInt()));
        }
        return new Suspects(queuePair, all);
    }
}
