package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.StringJoiner;

import dev.verbena.verbs.abi.ibv_gid;
import dev.verbena.verbs.abi.ibv_gid_entry;

/**
 * An entry of a port's GID table: an address that a queue pair can use.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param index in the table
 * @param subnetPrefix its first 8 bytes, the first of them in the highest byte
 * @param interfaceId its last 8 bytes, likewise
 * @param type how packets from it are addressed
 * @param networkInterfaceIndex of the network interface it belongs to, as {@code ip link} numbers them; 0 for none
 */
public record Gid(int index, long subnetPrefix, long interfaceId, GidType type, int networkInterfaceIndex) {
    private static final ValueLayout.OfLong BIG_ENDIAN = ValueLayout.JAVA_LONG_UNALIGNED
            .withOrder(ByteOrder.BIG_ENDIAN);

    static Gid of(MemorySegment entry) {
        MemorySegment gid = ibv_gid_entry.gid(entry);
        return new Gid(ibv_gid_entry.gid_index(entry), gid.get(BIG_ENDIAN, 0), gid.get(BIG_ENDIAN, 8),
                GidType.of(ibv_gid_entry.gid_type(entry)), ibv_gid_entry.ndev_ifindex(entry));
    }

    /** Into a union ibv_gid. */
    static MemorySegment write(long subnetPrefix, long interfaceId, Arena arena) {
        MemorySegment gid = ibv_gid.allocate(arena);
        gid.set(BIG_ENDIAN, 0, subnetPrefix);
        gid.set(BIG_ENDIAN, 8, interfaceId);
        return gid;
    }

    /**
     * The address part: an IPv4 address where it is one (RoCE v2 over IPv4), else eight groups of hexadecimal digits.
     */
    public String address() {
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

    /** ::ffff:0:0/96, RFC 4291 §2.5.5.2. */
    public boolean isIpv4Mapped() {
        return subnetPrefix == 0 && interfaceId >>> 32 == 0xffff;
    }
}
