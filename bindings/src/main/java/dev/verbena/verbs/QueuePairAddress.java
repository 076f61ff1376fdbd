package dev.verbena.verbs;

import java.nio.ByteBuffer;
import dev.verbena.verbs.ffi.Range;

/**
 * What a peer must be told of a connected queue pair to connect its own to it.
 *
 * <p>It travels over any wire, as these bytes, the highest of each number first:
 *
 * <pre>
 *    0       16                    20                      24    26    28                   30        32
 *   ┌───────┬─────────────────────┬───────────────────────┬─────┬─────┬────────────────────┬─────────┐
 *   │  gid  │  queuePairNumber    │  packetSequence       │ lid │ mtu │  readsAcceptedMax  │ version │
 *   └───────┴─────────────────────┴───────────────────────┴─────┴─────┴────────────────────┴─────────┘
 * </pre>
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param queuePairNumber 24 bits
 * @param packetSequence of the first packet that it sends; 24 bits
 * @param gid of its port; zero where peers address it by its LID
 * @param lid of its port, on InfiniBand
 * @param mtu the most bytes that its packets may carry: 256 to 4096, a power of two; the smaller of both sides counts
 * @param readsAcceptedMax reads and atomics of the peer that it takes at a time
 */
public record QueuePairAddress(int queuePairNumber, int packetSequence, Gid gid, int lid, int mtu,
        int readsAcceptedMax) {
    /** Of what {@link #encode} makes. */
    public static final int BYTE_SIZE = Gid.BYTE_SIZE + 2 * Integer.BYTES + 4 * Short.BYTES;

    private static final int BITS_24 = 0xff_ffff;
    private static final int BITS_16 = 0xffff;
    private static final int VERSION = 1;

    /** Throws IllegalArgumentException for a number out of its range, and an MTU other than 256, 512, 1024, 2048 and 4096. */
    public QueuePairAddress {
        Range.check("queuePairNumber", queuePairNumber, 0, BITS_24);
        Range.check("packetSequence", packetSequence, 0, BITS_24);
        Range.check("lid", lid, 0, BITS_16);
        Range.check("readsAcceptedMax", readsAcceptedMax, 0, Range.READS_MAX);
        Mtu.code(mtu);
    }

    /** As it travels. */
    public byte[] encode() {
        return ByteBuffer.allocate(BYTE_SIZE).put(gid.octets()).putInt(queuePairNumber).putInt(packetSequence)
                .putShort((short) lid).putShort((short) mtu).putShort((short) readsAcceptedMax)
                .putShort((short) VERSION).array();
    }

    /** @throws IllegalArgumentException if the bytes are none; the message names what is wrong with them */
    public static QueuePairAddress decode(byte[] bytes) {
        if (bytes.length != BYTE_SIZE) {
            throw new IllegalArgumentException("bytes=" + bytes.length + ": the address of a queue pair has "
                    + BYTE_SIZE);
        }
        ByteBuffer buffer = ByteBuffer.wrap(bytes);
        Gid gid = new Gid(buffer.getLong(), buffer.getLong());
        int queuePairNumber = buffer.getInt();
        int packetSequence = buffer.getInt();
        int lid = Short.toUnsignedInt(buffer.getShort());
        int mtu = Short.toUnsignedInt(buffer.getShort());
        int readsAcceptedMax = Short.toUnsignedInt(buffer.getShort());
        int version = Short.toUnsignedInt(buffer.getShort());
        if (version != VERSION) {
            throw new IllegalArgumentException("version=" + version + ": an address of version=" + VERSION
                    + " is read here; look whether both sides run the same release");
        }
        return new QueuePairAddress(queuePairNumber, packetSequence, gid, lid, mtu, readsAcceptedMax);
    }
}
