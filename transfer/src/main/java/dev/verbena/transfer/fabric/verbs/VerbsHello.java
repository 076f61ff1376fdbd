package dev.verbena.transfer.fabric.verbs;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.fabric.control.Fields;
import dev.verbena.transfer.fabric.control.Frame;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.verbs.QueuePairAddress;

/**
 * Who one side is and how its queue pairs are reached; payload of HELLO and WELCOME.
 *
 * @param name that the process gave itself
 * @param listening where it listens; port 0 if it does not
 * @param wire what its queue pairs are made of; both sides must be alike
 * @param connect through what it is connected; both sides must be alike
 * @param pairs its queue pairs
 */
record VerbsHello(String name, Endpoint listening, Wire wire, Connect connect, List<PairAddress> pairs) {
    private static final int QUEUE_PAIRS_MAX = 256;
    private static final Wire[] WIRES = Wire.values();

    VerbsHello {
        pairs = List.copyOf(pairs);
    }

    /**
     * Where the connection manager finds its queue pairs, if they are connected through it.
     *
     * @param address of this side
     * @param token to be shown by who connects
     */
    record Connect(boolean isByCm, Endpoint address, CmToken token) {
        static final Connect DIRECTLY = new Connect(false, new Endpoint("localhost", 0), CmToken.NONE);

        private void put(ByteBuffer buffer) {
            buffer.put((byte) (isByCm ? 1 : 0));
            Fields.putEndpoint(buffer, address);
            buffer.putLong(token.high()).putLong(token.low());
        }

        private static Connect get(ByteBuffer buffer) throws ProtocolException {
            return new Connect(buffer.get() != 0, Fields.endpoint(buffer),
                    new CmToken(buffer.getLong(), buffer.getLong()));
        }
    }

    /**
     * One queue pair.
     *
     * @param credit where it says how many receives it has posted
     */
    record PairAddress(QueuePairAddress address, CreditAddress credit) {
        private void put(ByteBuffer buffer) {
            buffer.put(address.encode()).putLong(credit.address()).putInt(credit.rkey());
        }

        private static PairAddress get(ByteBuffer buffer) throws ProtocolException {
            byte[] address = new byte[QueuePairAddress.BYTE_SIZE];
            buffer.get(address);
            try {
                return new PairAddress(QueuePairAddress.decode(address),
                        new CreditAddress(buffer.getLong(), buffer.getInt()));
            } catch (IllegalArgumentException e) {
                throw new ProtocolException("malformed handshake: " + e.getMessage());
            }
        }
    }

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Frame.PAYLOAD_BYTE_SIZE_MAX);
        Fields.putText(buffer, VerbsFabric.NAME);
        Fields.putText(buffer, name);
        Fields.putEndpoint(buffer, listening);
        buffer.putInt(wire.ordinal());
        connect.put(buffer);
        buffer.putInt(pairs.size());
        pairs.forEach(pair -> pair.put(buffer));
        return buffer.flip();
    }

    static VerbsHello decode(ByteBuffer buffer) throws ProtocolException {
        try {
            Fields.checkFabric(buffer, VerbsFabric.NAME);
            VerbsHello hello = new VerbsHello(Fields.text(buffer), Fields.endpoint(buffer),
                    WIRES[Fields.inRange(buffer.getInt(), 0, WIRES.length - 1)], Connect.get(buffer), pairs(buffer));
            Fields.inRange(buffer.remaining(), 0, 0);
            return hello;
        } catch (BufferUnderflowException e) {
            throw new ProtocolException("malformed handshake: too short");
        }
    }

    private static List<PairAddress> pairs(ByteBuffer buffer) throws ProtocolException {
        int count = Fields.inRange(buffer.getInt(), 1, QUEUE_PAIRS_MAX);
        List<PairAddress> pairs = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            pairs.add(PairAddress.get(buffer));
        }
        return pairs;
    }
}
