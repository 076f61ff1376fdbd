package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.net.Inet6Address;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;

import dev.verbena.verbs.abi.sockaddr;
import dev.verbena.verbs.abi.sockaddr_in6;
import dev.verbena.verbs.abi.sockaddr_in;
import dev.verbena.verbs.abi.sockaddr_storage;
import dev.verbena.verbs.ffi.AbiCheck;

/**
 * Between Java's socket addresses and C's. Source: ip(7), ipv6(7).
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
final class SocketAddress {
    private SocketAddress() {}

    /** NULL for null: none. */
    static MemorySegment write(InetSocketAddress address, Arena arena) {
        if (address == null) {
            return MemorySegment.NULL;
        }
        if (address.isUnresolved()) {
            throw new IllegalArgumentException("address=" + address + " is a name without an address: look whether"
                    + " the name is right and name resolution works");
        }
        MemorySegment storage = sockaddr_storage.allocate(arena);
        byte[] octets = address.getAddress().getAddress();
        if (address.getAddress() instanceof Inet6Address ipv6) {
            sockaddr_in6.sin6_family(storage, (short) AF_INET6());
            sockaddr_in6.sin6_port(storage, bigEndian(address.getPort()));
            sockaddr_in6.sin6_scope_id(storage, ipv6.getScopeId());
            MemorySegment.copy(octets, 0, storage, ValueLayout.JAVA_BYTE, sockaddr_in6.sin6_addr$offset(),
                    octets.length);
        } else {
            sockaddr_in.sin_family(storage, (short) AF_INET());
            sockaddr_in.sin_port(storage, bigEndian(address.getPort()));
            MemorySegment.copy(octets, 0, storage, ValueLayout.JAVA_BYTE, sockaddr_in.sin_addr$offset(),
                    octets.length);
        }
        return storage;
    }

    /** Null where there is none, or one that is neither IPv4 nor IPv6. */
    static InetSocketAddress read(MemorySegment storage) {
        int family = Short.toUnsignedInt(sockaddr.sa_family(storage));
        try {
            if (family == AF_INET()) {
                return new InetSocketAddress(
                        InetAddress.getByAddress(octets(storage, sockaddr_in.sin_addr$offset(), 4)),
                        port(sockaddr_in.sin_port(storage)));
            }
            if (family == AF_INET6()) {
                byte[] octets = octets(storage, sockaddr_in6.sin6_addr$offset(), 16);
                return new InetSocketAddress(Inet6Address.getByAddress(null, octets,
                        sockaddr_in6.sin6_scope_id(storage)), port(sockaddr_in6.sin6_port(storage)));
            }
            return null;
        } catch (UnknownHostException wrongLength) {
            throw new AssertionError(wrongLength);
        }
    }

    private static byte[] octets(MemorySegment storage, long offset, int count) {
        return storage.asSlice(offset, count).toArray(ValueLayout.JAVA_BYTE);
    }

    /** The machines that Verbena runs on are little-endian; {@link AbiCheck} refuses others. */
    private static short bigEndian(int port) {
        return Short.reverseBytes((short) port);
    }

    private static int port(short bigEndian) {
        return Short.toUnsignedInt(Short.reverseBytes(bigEndian));
    }
}
