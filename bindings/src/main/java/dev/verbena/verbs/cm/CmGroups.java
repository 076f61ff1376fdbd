package dev.verbena.verbs.cm;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.verbs.VerbsException;
import dev.verbena.verbs.abi.rdma_cm_join_mc_attr_ex;
import dev.verbena.verbs.ffi.LibRdmacm;
import dev.verbena.verbs.ffi.NativeCall;

/**
 * The multicast groups that one {@link CmId} is in, or is about to be.
 *
 * <p><b>Owner:</b> the id. <b>Threading:</b> every method is called with librdmacm's lock, while the id is open.
 *
 * <p>Source: rdma_join_multicast_ex(3), rdma_leave_multicast(3).
 */
final class CmGroups {
    private record Membership(InetAddress group, MulticastMembership kind) {}

    private final CmId id;
    private final MemorySegment struct;
    /** By the numbers that librdmacm knows them by. */
    private final Map<Long, Membership> memberships = new HashMap<>();
    private long nextNumber = 1;

    CmGroups(CmId id, MemorySegment struct) {
        this.id = id;
        this.struct = struct;
    }

    static void requireMulticast(InetAddress group) {
        if (!group.isMulticastAddress()) {
            throw new IllegalArgumentException("group=" + group + " is no multicast address: give one of 224.0.0.0/4"
                    + " or ff00::/8");
        }
    }

    void join(InetAddress group, MulticastMembership kind) {
        if (contains(group)) {
            throw new IllegalStateException(id + " is already in group=" + group + ": leave it first");
        }
        long number = nextNumber++;
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = rdma_cm_join_mc_attr_ex.allocate(arena);
            rdma_cm_join_mc_attr_ex.comp_mask(attributes,
                    RDMA_CM_JOIN_MC_ATTR_ADDRESS() | RDMA_CM_JOIN_MC_ATTR_JOIN_FLAGS());
            rdma_cm_join_mc_attr_ex.join_flags(attributes, kind.code());
            rdma_cm_join_mc_attr_ex.addr(attributes, address(group, arena));
            NativeCall.status("rdma_join_multicast_ex", () -> id.on() + ", group=" + group + ", " + kind,
                    capture -> (int) LibRdmacm.JoinMulticast.HANDLE.invokeExact(capture, struct, attributes,
                            MemorySegment.ofAddress(number)));
        }
        memberships.put(number, new Membership(group, kind));
    }

    void leave(InetAddress group) {
        if (!contains(group)) {
            throw new IllegalStateException(id + " is not in group=" + group + ", but in " + memberships.values());
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment address = address(group, arena);
            NativeCall.status("rdma_leave_multicast", () -> id.on() + ", group=" + group,
                    capture -> (int) LibRdmacm.LeaveMulticast.HANDLE.invokeExact(capture, struct, address));
        }
        memberships.values().removeIf(membership -> membership.group().equals(group));
    }

    /** By what an event carries. */
    InetAddress get(MemorySegment context) {
        return memberships.get(context.address()).group();
    }

    /**
     * To be asked before the queue pair is destroyed: librdmacm would not say that the kernel refused.
     *
     * @throws VerbsException EBUSY if the queue pair gets what is sent to a group
     */
    void requireNoneHeard() {
        if (memberships.values().stream().anyMatch(membership -> membership.kind() == MulticastMembership.FULL)) {
            throw new VerbsException("rdma_destroy_qp", id.on() + ", in " + memberships.values(), EBUSY(),
                    "a queue pair leaves its multicast groups first: leaveMulticast");
        }
    }

    private boolean contains(InetAddress group) {
        return memberships.values().stream().anyMatch(membership -> membership.group().equals(group));
    }

    private static MemorySegment address(InetAddress group, Arena arena) {
        return SocketAddress.write(new InetSocketAddress(group, 0), arena);
    }
}
