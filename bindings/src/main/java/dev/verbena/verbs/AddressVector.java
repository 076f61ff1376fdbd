package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_ah_attr;
import dev.verbena.verbs.abi.ibv_global_route;

/**
 * The way to a peer's port.
 *
 * @param port of this device, from 1
 * @param isGlobal whether packets carry a global routing header; always on RoCE
 * @param peerGid where to; zero without a routing header
 * @param gidIndex of this side's GID in the port's table
 * @param hopLimit routers that a packet may pass
 * @param trafficClass 0 to 255
 * @param flowLabel 20 bits
 * @param lid of the peer, on InfiniBand
 * @param serviceLevel 0 to 15
 * @param staticRate 0 for the port's own
 * @param sourcePathBits the low bits of the LID that this side sends from, where its port has several
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * <p>Source: struct ibv_ah_attr, ibv_modify_qp(3), ibv_create_ah(3).
 */
public record AddressVector(int port, boolean isGlobal, Gid peerGid, int gidIndex,
        int hopLimit, int trafficClass, int flowLabel, int lid, int serviceLevel, int staticRate,
        int sourcePathBits) {
    private static final int HOP_LIMIT = 64;

    /** By GID, as on RoCE. */
    public static AddressVector toGid(int port, int gidIndex, Gid peerGid) {
        return new AddressVector(port, true, peerGid, gidIndex, HOP_LIMIT, 0, 0, 0, 0, 0, 0);
    }

    /** By LID, within a subnet of InfiniBand. */
    public static AddressVector toLid(int port, int lid) {
        return new AddressVector(port, false, Gid.ZERO, 0, 0, 0, 0, lid, 0, 0, 0);
    }

    /** The LID of the peer's port, 16 bits, which InfiniBand needs beside a GID, too; {@link #toGid} leaves it 0, as Ethernet has none. */
    public AddressVector withLid(int lid) {
        return new AddressVector(port, isGlobal, peerGid, gidIndex, hopLimit, trafficClass,
                flowLabel, lid, serviceLevel, staticRate, sourcePathBits);
    }

    /** Service level, 0 to 15, on Ethernet a priority of 0 to 7, and the routing header's traffic class, 0 to 255; both 0 unless set. */
    public AddressVector withQuality(int serviceLevel, int trafficClass) {
        return new AddressVector(port, isGlobal, peerGid, gidIndex, hopLimit, trafficClass,
                flowLabel, lid, serviceLevel, staticRate, sourcePathBits);
    }

    /** Which of its LIDs this side sends from, where the subnet manager gave its port several; 0, the base LID, unless set. */
    public AddressVector withSourcePathBits(int bits) {
        return new AddressVector(port, isGlobal, peerGid, gidIndex, hopLimit, trafficClass,
                flowLabel, lid, serviceLevel, staticRate, bits);
    }

    /** Into a struct ibv_ah_attr. */
    void write(MemorySegment attributes) {
        MemorySegment route = ibv_ah_attr.grh(attributes);
        peerGid.write(ibv_global_route.dgid(route));
        ibv_global_route.flow_label(route, flowLabel);
        ibv_global_route.sgid_index(route, (byte) gidIndex);
        ibv_global_route.hop_limit(route, (byte) hopLimit);
        ibv_global_route.traffic_class(route, (byte) trafficClass);
        ibv_ah_attr.dlid(attributes, (short) lid);
        ibv_ah_attr.sl(attributes, (byte) serviceLevel);
        ibv_ah_attr.static_rate(attributes, (byte) staticRate);
        ibv_ah_attr.src_path_bits(attributes, (byte) sourcePathBits);
        ibv_ah_attr.is_global(attributes, (byte) (isGlobal ? 1 : 0));
        ibv_ah_attr.port_num(attributes, (byte) port);
    }

    static AddressVector read(MemorySegment attributes) {
        MemorySegment route = ibv_ah_attr.grh(attributes);
        return new AddressVector(Byte.toUnsignedInt(ibv_ah_attr.port_num(attributes)),
                ibv_ah_attr.is_global(attributes) != 0, Gid.read(ibv_global_route.dgid(route)),
                Byte.toUnsignedInt(ibv_global_route.sgid_index(route)),
                Byte.toUnsignedInt(ibv_global_route.hop_limit(route)),
                Byte.toUnsignedInt(ibv_global_route.traffic_class(route)), ibv_global_route.flow_label(route),
                Short.toUnsignedInt(ibv_ah_attr.dlid(attributes)), Byte.toUnsignedInt(ibv_ah_attr.sl(attributes)),
                Byte.toUnsignedInt(ibv_ah_attr.static_rate(attributes)),
                Byte.toUnsignedInt(ibv_ah_attr.src_path_bits(attributes)));
    }
}
