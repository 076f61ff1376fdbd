package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.StringJoiner;

/**
 * A global identifier: the 128 bits by which a port, or a multicast group, is addressed; an IPv6 address on RoCE.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: union ibv_gid; RFC 4291 for what the bits mean.
 *
 * @param subnetPrefix its first 8 bytes, the first of them in the highest byte
 * @param interfaceId its last 8 bytes, likewise
 */
public record Gid(long subnetPrefix, long interfaceId) {
    /** Of its octets, in network order as on the wire. */
    public static final int BYTE_SIZE = 16;
    /** No address: that of an entry not in use, or of a peer that is addressed by LID alone. */
    public static final Gid ZERO = new Gid(0, 0);

    private static final ValueLayout.OfLong BIG_ENDIAN = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);

    /** Its 16 bytes, the first first. */
    public static Gid of(byte[] octets) {
        if (octets.length != BYTE_SIZE) {
            throw new IllegalArgumentException("bytes=" + octets.length + ": a GID has " + BYTE_SIZE);
        }
        ByteBuffer buffer = ByteBuffer.wrap(octets);
        return new Gid(buffer.getLong(), buffer.getLong());
    }

    /** That of RoCE version 2 for the address; of an IPv4 address, the mapped one. */
    public static Gid of(InetAddress address) {
        byte[] octets = address.getAddress();
        return octets.length == BYTE_SIZE ? of(octets)
                : new Gid(0, 0xffffL << 32 | Integer.toUnsignedLong(ByteBuffer.wrap(octets).getInt()));
    }

    /**
     * From what {@link #toString} writes, or any other text of an IPv6 address.
     *
     * @throws IllegalArgumentException if it is none
     */
    public static Gid parse(String text) {
        if (text.indexOf(':') < 0 || text.indexOf('%') >= 0 || text.indexOf('[') >= 0) {
            throw malformed(text);
        }
        try {
            return of(Inet6Address.ofLiteral(text));
        } catch (IllegalArgumentException e) {
            throw malformed(text);
        }
    }

    private static IllegalArgumentException malformed(String text) {
        return new IllegalArgumentException("gid=" + text
                + ": give eight groups of hexadecimal digits with colons between, or ::ffff:192.0.2.1");
    }

    /** From a union ibv_gid. */
    static Gid read(MemorySegment gid) {
        return new Gid(gid.get(BIG_ENDIAN, 0), gid.get(BIG_ENDIAN, Long.BYTES));
    }

    /** Into a union ibv_gid. */
    MemorySegment write(MemorySegment gid) {
        gid.set(BIG_ENDIAN, 0, subnetPrefix);
        gid.set(BIG_ENDIAN, Long.BYTES, interfaceId);
        return gid;
    }

    /** Its 16 bytes, the first first. */
    public byte[] octets() {
        return ByteBuffer.allocate(BYTE_SIZE).putLong(subnetPrefix).putLong(interfaceId).array();
    }

    /** The IP address that it is on RoCE version 2. */
    public InetAddress inetAddress() {
        try {
            return InetAddress.getByAddress(octets());
        } catch (UnknownHostException impossible) {
            throw new AssertionError(impossible);
        }
    }

    /** ::ffff:0:0/96, RFC 4291 §2.5.5.2. */
    public boolean isIpv4Mapped() {
        return subnetPrefix == 0 && interfaceId >>> 32 == 0xffff;
    }

    /**
     * Whether other subnets cannot answer to it: fe80::/10, RFC 4291 §2.5.6, and 169.254.0.0/16, RFC 3927. On InfiniBand it
     * says nothing: the default subnet prefix looks like this, and other ports of the subnet do answer.
     */
    public boolean isLinkLocal() {
        return isIpv4Mapped() ? (interfaceId >>> 16 & 0xffff) == 0xa9fe : subnetPrefix >>> 54 == 0xfe80 >>> 6;
    }

    /** An IPv4 address where it is one, behind {@code ::ffff:}; else eight groups of hexadecimal digits. */
    @Override
    public String toString() {
        if (isIpv4Mapped()) {
            return "::ffff:" + octet(24) + "." + octet(16) + "." + octet(8) + "." + octet(0);
        }
        StringJoiner groups = new StringJoiner(":");
        for (long half : new long[]{subnetPrefix, interfaceId}) {
            for (int shift = 48; shift >= 0; shift -= 16) {
                groups.add("%04x".formatted(half >>> shift & 0xffff));
            }
        }
        return groups.toString();
    }

    private long octet(int shift) {
        return interfaceId >>> shift & 0xff;
    }
}
