package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;

import dev.verbena.verbs.abi.ibv_port_attr;

/**
 * A port of an RDMA device, as it was when it was asked.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param number from 1
 * @param state data flows in ACTIVE and ACTIVE_DEFER only
 * @param maxMtuBytes the largest the port can do; 0 where the device names none
 * @param activeMtuBytes what is in use now; a queue pair's path MTU must not exceed it
 * @param lid its local identifier in an InfiniBand subnet; 0 on Ethernet
 * @param subnetManagerLid likewise
 * @param lidMaskControl how many low bits of the LID the port leaves open
 * @param linkLayer what carries its packets
 * @param messageByteSizeMax largest message
 * @param gids the entries of its GID table that are in use
 */
public record Port(int number, PortState state, int maxMtuBytes, int activeMtuBytes, int lid, int subnetManagerLid,
        int lidMaskControl, LinkLayer linkLayer, long messageByteSizeMax, List<GidEntry> gids) {
    /** Copies the list of GIDs, which holds no null. */
    public Port {
        gids = List.copyOf(gids);
    }

    static Port of(int number, MemorySegment attributes, List<GidEntry> gids) {
        return new Port(number, PortState.of(ibv_port_attr.state(attributes)),
                mtuBytes(ibv_port_attr.max_mtu(attributes)),
                mtuBytes(ibv_port_attr.active_mtu(attributes)), Short.toUnsignedInt(ibv_port_attr.lid(attributes)),
                Short.toUnsignedInt(ibv_port_attr.sm_lid(attributes)),
                Byte.toUnsignedInt(ibv_port_attr.lmc(attributes)),
                LinkLayer.of(Byte.toUnsignedInt(ibv_port_attr.link_layer(attributes))),
                Integer.toUnsignedLong(ibv_port_attr.max_msg_sz(attributes)), gids);
    }

    /** The entry that a queue pair best sends from, of several alike the first; empty if it has none that peers reach. */
    public Optional<GidEntry> bestGid() {
        return gids.stream().filter(entry -> GidPreference.of(entry, linkLayer) != GidPreference.NONE)
                .min(Comparator.comparing((GidEntry entry) -> GidPreference.of(entry, linkLayer))
                        .thenComparing(GidEntry::index));
    }

    /** enum ibv_mtu counts doublings from 256 bytes, which is 1. */
    private static int mtuBytes(int code) {
        return code >= IBV_MTU_256() && code <= IBV_MTU_4096() ? Mtu.byteSize(code) : 0;
    }
}
