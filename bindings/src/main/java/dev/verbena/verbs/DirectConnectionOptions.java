package dev.verbena.verbs;

import java.util.EnumSet;
import java.util.Set;
import dev.verbena.verbs.ffi.Range;

/**
 * How this side of a {@link DirectConnection} is reached and sends; what it must share with its peer is settled between
 * them.
 *
 * @param port of the device that the queue pair uses
 * @param gid the address that it sends from; null to address the peer by its LID, within a subnet of InfiniBand
 * @param mtu the most bytes that its packets may carry: 256 to 4096, a power of two, no more than the port's active MTU
 * @param partitionKeyIndex in the port's table of partition keys
 * @param serviceLevel 0 to 15; on Ethernet, where it is a priority, 0 to 7
 * @param trafficClass of the packets' IP header, 0 to 255
 * @param retries when a request is given up
 * @param readsAcceptedMax reads and atomics of the peer that are taken at a time
 * @param readsOutstandingMax own ones that may be under way; no more than the peer takes
 * @param access what the peer may do: REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC; a memory region must allow it too
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: ibv_modify_qp(3).
 */
public record DirectConnectionOptions(Port port, GidEntry gid, int mtu, int partitionKeyIndex, int serviceLevel,
        int trafficClass, Retries retries, int readsAcceptedMax, int readsOutstandingMax, Set<AccessFlag> access) {
    private static final Set<AccessFlag> REMOTE = EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ,
            AccessFlag.REMOTE_ATOMIC);
    /** Where the port does not say what is in use. */
    private static final int MTU_BYTES = 1024;

    /** Throws IllegalArgumentException for an MTU above the port's, a number out of its range, and access that is not a peer's. */
    public DirectConnectionOptions {
        Mtu.code(mtu);
        if (port.activeMtuBytes() != 0 && mtu > port.activeMtuBytes()) {
            throw new IllegalArgumentException("mtu=" + mtu + ": port=" + port.number() + " carries bytes="
                    + port.activeMtuBytes() + " at most; give that, or raise the MTU of its network interface");
        }
        Range.check("partitionKeyIndex", partitionKeyIndex, 0, 0xffff);
        Range.check("serviceLevel", serviceLevel, 0, 15);
        Range.check("trafficClass", trafficClass, 0, 255);
        Range.check("readsAcceptedMax", readsAcceptedMax, 0, Range.READS_MAX);
        Range.check("readsOutstandingMax", readsOutstandingMax, 0, Range.READS_MAX);
        access = Set.copyOf(access);
        if (!REMOTE.containsAll(access)) {
            throw new IllegalArgumentException("access=" + access + ": give what a peer may do, of " + REMOTE);
        }
    }

    /**
     * What is best on this device, which is asked: its first active port, {@linkplain Port#bestGid that port's best GID},
     * its active MTU, as many reads as the device can, {@linkplain Retries#defaults the usual retries}; peers may write
     * and read.
     *
     * @throws IllegalStateException if no port is active, or the port has no GID that peers reach
     */
    public static DirectConnectionOptions of(DeviceContext context) {
        DeviceAttributes attributes = context.query();
        Port port = attributes.ports().stream().filter(candidate -> candidate.state() == PortState.ACTIVE).findFirst()
                .orElseThrow(() -> new IllegalStateException(context + " has no active port among its "
                        + attributes.ports().size() + ": look at its cable and its network interface (rdma link)"));
        return of(context, attributes.limits(), port);
    }

    private static DirectConnectionOptions of(DeviceContext context, DeviceLimits limits, Port port) {
        GidEntry gid = port.bestGid().orElseThrow(() -> new IllegalStateException(context + ", port=" + port.number()
                + " has no GID that peers reach among " + port.gids() + ": give its network interface an address"
                + " (ip addr add ADDRESS/24 dev INTERFACE), or name a port and a GID yourself"));
        int mtu = port.activeMtuBytes() == 0 ? MTU_BYTES : port.activeMtuBytes();
        return new DirectConnectionOptions(port, gid, mtu, 0, 0, 0, Retries.defaults(),
                Math.min(limits.readsAcceptedMax(), Range.READS_MAX),
                Math.min(limits.readsOutstandingMax(), Range.READS_MAX),
                EnumSet.of(AccessFlag.REMOTE_WRITE, AccessFlag.REMOTE_READ));
    }

    /** The GID may be null, as the component says. The MTU becomes no more than that of the port. */
    public DirectConnectionOptions withPort(Port port, GidEntry gid) {
        int smaller = port.activeMtuBytes() == 0 ? mtu : Math.min(mtu, port.activeMtuBytes());
        return new DirectConnectionOptions(port, gid, smaller, partitionKeyIndex, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }

    /** Bytes that a packet may carry: 256 to 4096, a power of two, at most the port's active MTU, which it is unless set. */
    public DirectConnectionOptions withMtu(int byteSize) {
        return new DirectConnectionOptions(port, gid, byteSize, partitionKeyIndex, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }

    /** From 0, as {@link DeviceContext#partitionKeyIndex} finds it; 0 unless set, where the default partition's key usually is. */
    public DirectConnectionOptions withPartitionKeyIndex(int index) {
        return new DirectConnectionOptions(port, gid, mtu, index, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }

    /** Service level, 0 to 15, on Ethernet a priority of 0 to 7, and the IP header's traffic class, 0 to 255; both 0 unless set. */
    public DirectConnectionOptions withQuality(int serviceLevel, int trafficClass) {
        return new DirectConnectionOptions(port, gid, mtu, partitionKeyIndex, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }

    /** When a request that the peer does not answer or has no receive for is given up; {@link Retries#defaults} unless set. */
    public DirectConnectionOptions withRetries(Retries retries) {
        return new DirectConnectionOptions(port, gid, mtu, partitionKeyIndex, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }

    /** Reads and atomics of the peer taken at a time, and own ones under way; 0 to 255, both the device's most unless set. */
    public DirectConnectionOptions withReads(int acceptedMax, int outstandingMax) {
        return new DirectConnectionOptions(port, gid, mtu, partitionKeyIndex, serviceLevel, trafficClass, retries,
                acceptedMax, outstandingMax, access);
    }

    /** What the peer may do, of REMOTE_WRITE, REMOTE_READ, REMOTE_ATOMIC; a region must allow it too. The first two unless set. */
    public DirectConnectionOptions withAccess(Set<AccessFlag> access) {
        return new DirectConnectionOptions(port, gid, mtu, partitionKeyIndex, serviceLevel, trafficClass, retries,
                readsAcceptedMax, readsOutstandingMax, access);
    }
}
