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
import dev.verbena.verbs.Gid;

/**
 * Who one side is and how its queue pairs are reached; payload of HELLO and WELCOME.
 *
 * @param name that the process gave itself
 * @param listening where it listens; port 0 if it does not
 * @param wire what its queue pairs are made of; both sides must be alike
 * @param gid of its port
 * @param lid on InfiniBand
 * @param mtu in bytes
 * @param readsAcceptedMax reads and atomics that its queue pairs take at a time
 * @param connect through what it is connected; both sides must be alike
 * @param pairs its queue pairs
 */
record VerbsHello(String name, Endpoint listening, Wire wire, Gid gid, int lid, int mtu, int readsAcceptedMax,
        Connect connect, List<PairAddress> pairs) {
    private static final int QUEUE_PAIRS_MAX = 256;
    private static final int BITS_24 = 0xff_ffff;
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
     * @param packetSequence that it begins with
     * @param credit where it says how many receives it has posted
     */
    record PairAddress(int number, int packetSequence, CreditAddress credit) {
        private void put(ByteBuffer buffer) {
            buffer.putInt(number).putInt(packetSequence).putLong(credit.address()).putInt(credit.rkey());
        }

        private static PairAddress get(ByteBuffer buffer) throws ProtocolException {
            return new PairAddress(Fields.inRange(buffer.getInt(), 0, BITS_24),
                    Fields.inRange(buffer.getInt(), 0, BITS_24), new CreditAddress(buffer.getLong(), buffer.getInt()));
        }
    }

    ByteBuffer encode() {
        ByteBuffer buffer = ByteBuffer.allocate(Frame.PAYLOAD_BYTE_SIZE_MAX);
        Fields.putText(buffer, VerbsFabric.NAME);
        Fields.putText(buffer, name);
        Fields.putEndpoint(buffer, listening);
        buffer.putInt(wire.ordinal()).putLong(gid.subnetPrefix()).putLong(gid.interfaceId()).putInt(lid).putInt(mtu)
                .putInt(readsAcceptedMax);
        connect.put(buffer);
        buffer.putInt(pairs.size());
        pairs.forEach(pair -> pair.put(buffer));
        return buffer.flip();
    }

    static VerbsHello decode(ByteBuffer buffer) throws ProtocolException {
        try {
            Fields.checkFabric(buffer, VerbsFabric.NAME);
            VerbsHello hello = new VerbsHello(Fields.text(buffer), Fields.endpoint(buffer),
                    WIRES[Fields.inRange(buffer.getInt(), 0, WIRES.length - 1)],
                    new Gid(buffer.getLong(), buffer.getLong()), Fields.inRange(buffer.getInt(), 0, 0xffff),
                    Fields.inRange(buffer.getInt(), 256, 4096), Fields.inRange(buffer.getInt(), 0, 255),
                    Connect.get(buffer), pairs(buffer));
            Fields.inRange(buffer.remaining(), 0, 0);
            if (Integer.bitCount(hello.mtu) != 1) {
                throw new ProtocolException("malformed handshake: mtu=" + hello.mtu);
            }
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
