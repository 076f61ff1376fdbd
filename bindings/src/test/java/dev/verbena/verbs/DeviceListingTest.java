package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_device_attr;
import dev.verbena.verbs.abi.ibv_gid_entry;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.abi.rdma_core_h;

/** From the structs as a driver fills them in, to the text. */
class DeviceListingTest {
    private static final byte[] LINK_LOCAL = HexFormat.of().parseHex("fe800000000000009cdde6fffe79a91d");
    private static final byte[] IPV4 = HexFormat.of().parseHex("00000000000000000000ffffc0000201");

    @Test
    void textIsWhatIbvDevinfoSays() {
        Locale before = Locale.getDefault();
        // Its digits are not ASCII: the text must not depend on the user's language.
        Locale.setDefault(Locale.forLanguageTag("ar-EG"));
        try (Arena arena = Arena.ofConfined()) {
            Port port = Port.of(1, softRocePort(arena), List.of(gid(arena, 0, LINK_LOCAL), gid(arena, 1, IPV4)));
            VerbsDevice device = new VerbsDevice("rxe0", NodeType.of(1), TransportType.of(0),
                    new Guid(0x9cdde6fffe79a91dL));
            assertEquals("""
                    hca_id:                         rxe0
                        node_type:                  channel_adapter
                        transport:                  InfiniBand
                        node_guid:                  9cdd:e6ff:fe79:a91d
                        fw_ver:                     1.2.3
                        sys_image_guid:             0102:0304:0506:0708
                        vendor_id:                  0x02c9
                        vendor_part_id:             4119
                        hw_ver:                     0xA
                        phys_port_cnt:              1
                            port:                   1
                                state:              ACTIVE
                                max_mtu:            4096
                                active_mtu:         1024
                                sm_lid:             0
                                port_lid:           65535
                                port_lmc:           0x00
                                link_layer:         Ethernet
                                GID[0]:             fe80:0000:0000:0000:9cdd:e6ff:fe79:a91d, RoCE v2
                                GID[1]:             ::ffff:192.0.2.1, RoCE v2
                    """, DeviceListing.text(device, DeviceAttributes.of(attributes(arena), List.of(port))));
        } finally {
            Locale.setDefault(before);
        }
    }

    @Test
    void codesOfALaterKernelAreUnknownNotAnError() {
        assertEquals(NodeType.UNKNOWN, NodeType.of(99));
        assertEquals(TransportType.UNKNOWN, TransportType.of(99));
        assertEquals(PortState.UNKNOWN, PortState.of(99));
        assertEquals(LinkLayer.UNKNOWN, LinkLayer.of(99));
        assertEquals(GidType.UNKNOWN, GidType.of(99));
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = softRocePort(arena);
            ibv_port_attr.active_mtu(attributes, 6);
            assertEquals(0, Port.of(1, attributes, List.of()).activeMtuBytes());
        }
    }

    @Test
    void gidsKnowWhetherTheyAreIpv4() {
        try (Arena arena = Arena.ofConfined()) {
            assertTrue(gid(arena, 1, IPV4).isIpv4Mapped());
            Gid linkLocal = gid(arena, 0, LINK_LOCAL);
            assertFalse(linkLocal.isIpv4Mapped());
            assertEquals(new Gid(0, 0xfe80000000000000L, 0x9cdde6fffe79a91dL, GidType.ROCE_V2, 2), linkLocal);
        }
    }

    private static MemorySegment attributes(Arena arena) {
        MemorySegment attributes = ibv_device_attr.allocate(arena);
        ibv_device_attr.fw_ver(attributes).setString(0, "1.2.3");
        ibv_device_attr.sys_image_guid(attributes, 0x0807060504030201L);
        ibv_device_attr.vendor_id(attributes, 0x2c9);
        ibv_device_attr.vendor_part_id(attributes, 4119);
        ibv_device_attr.hw_ver(attributes, 10);
        ibv_device_attr.phys_port_cnt(attributes, (byte) 1);
        return attributes;
    }

    private static MemorySegment softRocePort(Arena arena) {
        MemorySegment attributes = ibv_port_attr.allocate(arena);
        ibv_port_attr.state(attributes, rdma_core_h.IBV_PORT_ACTIVE());
        ibv_port_attr.max_mtu(attributes, rdma_core_h.IBV_MTU_4096());
        ibv_port_attr.active_mtu(attributes, rdma_core_h.IBV_MTU_1024());
        ibv_port_attr.lid(attributes, (short) 0xffff);
        ibv_port_attr.link_layer(attributes, (byte) rdma_core_h.IBV_LINK_LAYER_ETHERNET());
        return attributes;
    }

    private static Gid gid(Arena arena, int index, byte[] octets) {
        MemorySegment entry = ibv_gid_entry.allocate(arena);
        MemorySegment.copy(MemorySegment.ofArray(octets), 0, ibv_gid_entry.gid(entry), 0, 16);
        ibv_gid_entry.gid_index(entry, index);
        ibv_gid_entry.gid_type(entry, rdma_core_h.IBV_GID_TYPE_ROCE_V2());
        ibv_gid_entry.ndev_ifindex(entry, 2);
        return Gid.of(entry);
    }
}
