package dev.verbena.transfer.fabric.verbs;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.verbs.Gid;

/**
 * Who one side is and how its queue pairs are reached; payload of HELLO and WELCOME.
 *
 * @param name that the process gave itself
 * @param listening where it listens; port 0 if it does not
 * @param gid of its port
 * @param lid on InfiniBand
 * @param mtu in bytes
 * @param readsAcceptedMax reads and atomics that its queue pairs take at a time
 * @param numbers of its queue pairs
 * @param packetSequences that its queue pairs begin with
 */
record VerbsHello(String name, Endpoint listening, Gid gid, int lid, int mtu,
        int readsAcceptedMax, int[] numbers, int[] packetSequences) {
    private static final int QUEUE_PAIRS_MAX = 256;
    private static final int BITS_24 = 0xff_ffff;

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Frame.PAYLOAD_BYTE_SIZE_MAX);
        Fields.putText(buffer, VerbsFabric.NAME);
        Fields.putText(buffer, name);
        Fields.putEndpoint(buffer, listening);
        buffer.putLong(gid.subnetPrefix()).putLong(gid.interfaceId()).putInt(lid).putInt(mtu).putInt(readsAcceptedMax);
        buffer.putInt(numbers.length);
        for (int i = 0; i < numbers.length; i++) {
            buffer.putInt(numbers[i]).putInt(packetSequences[i]);
        }
        return buffer.flip();
    }

    static VerbsHello decode(ByteBuffer buffer) throws ProtocolException {
        try {
            Fields.checkFabric(buffer, VerbsFabric.NAME);
            VerbsHello hello = new VerbsHello(Fields.text(buffer), Fields.endpoint(buffer),
                    new Gid(buffer.getLong(), buffer.getLong()), Fields.inRange(buffer.getInt(), 0, 0xffff),
                    Fields.inRange(buffer.getInt(), 256, 4096), Fields.inRange(buffer.getInt(), 0, 255),
                    new int[Fields.inRange(buffer.getInt(), 1, QUEUE_PAIRS_MAX)], new int[buffer.remaining() / 8]);
            Fields.inRange(buffer.remaining(), 8 * hello.numbers.length, 8 * hello.numbers.length);
            for (int i = 0; i < hello.numbers.length; i++) {
                hello.numbers[i] = Fields.inRange(buffer.getInt(), 0, BITS_24);
                hello.packetSequences[i] = Fields.inRange(buffer.getInt(), 0, BITS_24);
            }
            if (Integer.bitCount(hello.mtu) != 1) {
                throw new ProtocolException("malformed handshake: mtu=" + hello.mtu);
            }
            return hello;
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("malformed handshake: too short");
        }
    }
}
