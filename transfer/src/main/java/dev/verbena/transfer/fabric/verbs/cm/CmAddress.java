package dev.verbena.transfer.fabric.verbs.cm;

import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;

import dev.verbena.transfer.TransferException;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.GidType;

/**
 * The IP address by which the connection manager finds a port: that of its GID on RoCE v2, else one of its network interface.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> functions.
 */
public final class CmAddress {
    private static final int MAC_BYTE_SIZE = 6;

    private CmAddress() {}

    /** @throws TransferException if it has none; one sentence that says what to do */
    public static InetAddress of(GidEntry entry, String where) {
        if (entry.type() == GidType.ROCE_V2) {
            return entry.gid().inetAddress();
        }
        try {
            List<NetworkInterface> interfaces = Collections.list(NetworkInterface.getNetworkInterfaces());
            for (NetworkInterface each : interfaces) {
                if (isOf(entry, each)) {
                    return address(each, where);
                }
            }
        } catch (SocketException e) {
            throw new TransferException("the network interfaces of this machine cannot be listed: " + e.getMessage(),
                    e);
        }
        throw new TransferException(
                where + " cannot be used through rdma_cm: no network interface with an IP address belongs to it; "
                        + "give it one (ip addr add ADDRESS/24 dev INTERFACE)");
    }

    /** An iWARP device's GID begins with the hardware address of its interface, and old kernels do not name the interface otherwise. */
    private static boolean isOf(GidEntry entry, NetworkInterface each) throws SocketException {
        byte[] mac = each.getHardwareAddress();
        return entry.networkInterfaceIndex() != 0 ? each.getIndex() == entry.networkInterfaceIndex()
                : mac != null && Arrays.equals(mac, Arrays.copyOf(entry.gid().octets(), MAC_BYTE_SIZE));
    }

    private static InetAddress address(NetworkInterface of, String where) {
        return Collections.list(of.getInetAddresses()).stream().filter(address -> !address.isLinkLocalAddress())
                .min(Comparator.comparing(address -> !(address instanceof Inet4Address)))
                .orElseThrow(
                        () -> new TransferException(where + " cannot be used through rdma_cm: interface " + of.getName()
                                + " has no IP address; give it one (ip addr add ADDRESS/24 dev " + of.getName() + ")"));
    }
}
