package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HexFormat;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.verbs.abi.ibv_device_attr;
import dev.verbena.verbs.abi.ibv_gid_entry;
import dev.verbena.verbs.abi.ibv_port_attr;
import dev.verbena.verbs.abi.rdma_core_h;

/** From the structs as a driver fills them in. */
class DeviceAttributesTest {
    private static final byte[] LINK_LOCAL = HexFormat.of().parseHex("fe800000000000009cdde6fffe79a91d");
    private static final byte[] IPV4 = HexFormat.of().parseHex("00000000000000000000ffffc0000201");

    @Test
    void whatADriverFillsInIsWhatIsSaid() {
        try (Arena arena = Arena.ofConfined()) {
            Port port = Port.of(1, softRocePort(arena), List.of(gid(arena, 0, LINK_LOCAL), gid(arena, 1, IPV4)));
            assertEquals(PortState.ACTIVE, port.state());
            assertEquals(4096, port.maxMtuBytes());
            assertEquals(1024, port.activeMtuBytes());
            assertEquals(65535, port.lid());
            assertEquals(LinkLayer.ETHERNET, port.linkLayer());
            assertEquals("fe80:0000:0000:0000:9cdd:e6ff:fe79:a91d", port.gids().get(0).gid().toString());
            assertEquals("::ffff:192.0.2.1", port.gids().get(1).gid().toString());
            DeviceAttributes attributes = DeviceAttributes.of(attributes(arena), List.of(port));
            assertEquals("1.2.3", attributes.firmwareVersion());
            assertEquals("0102:0304:0506:0708", attributes.systemImageGuid().toString());
            assertEquals(0x2c9, attributes.vendorId());
            assertEquals(4119, attributes.vendorPartId());
            assertEquals(10, attributes.hardwareVersion());
            assertEquals(List.of(port), attributes.ports());
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
    void anEntryOfTheGidTableIsReadWhole() {
        try (Arena arena = Arena.ofConfined()) {
            assertEquals(new GidEntry(0, Gid.of(LINK_LOCAL), GidType.ROCE_V2, 2), gid(arena, 0, LINK_LOCAL));
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

    private static GidEntry gid(Arena arena, int index, byte[] octets) {
        MemorySegment entry = ibv_gid_entry.allocate(arena);
        MemorySegment.copy(MemorySegment.ofArray(octets), 0, ibv_gid_entry.gid(entry), 0, 16);
        ibv_gid_entry.gid_index(entry, index);
        ibv_gid_entry.gid_type(entry, rdma_core_h.IBV_GID_TYPE_ROCE_V2());
        ibv_gid_entry.ndev_ifindex(entry, 2);
        return GidEntry.of(entry);
    }
}
