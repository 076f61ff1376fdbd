package dev.verbena.cli;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

import dev.verbena.cli.doctor.DeviceNature;
import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.GidEntry;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.Provider;
import dev.verbena.verbs.VerbsDevice;
import dev.verbena.verbs.VerbsException;

/** An RDMA device: what it can do and what not, and its attributes under the names that {@code ibv_devinfo -v} has for them. */
final class DeviceInfo {
    private DeviceInfo() {}

    /** A device that cannot be asked has the reason in place of its attributes. */
    static Map<String, Object> of(VerbsDevice device) {
        try {
            return of(device, device.provider(), device.query());
        } catch (VerbsException e) {
            Map<String, Object> map = head(device);
            map.put("problem", e.getMessage());
            return map;
        }
    }

    static Map<String, Object> of(VerbsDevice device, Provider provider, DeviceAttributes attributes) {
        Map<String, Object> map = head(device);
        map.put("abilities",
                DeviceNature.of(device.transport(), provider, attributes).facts().stream().map(FabricInfo::toMap)
                        .toList());
        map.put("fw_ver", attributes.firmwareVersion());
        map.put("sys_image_guid", attributes.systemImageGuid().toString());
        map.put("vendor_id", "0x%04x".formatted(attributes.vendorId()));
        map.put("vendor_part_id", attributes.vendorPartId());
        map.put("hw_ver", "0x%X".formatted(attributes.hardwareVersion()));
        map.put("phys_port_cnt", attributes.ports().size());
        putLimits(map, attributes.limits());
        map.put("ports", attributes.ports().stream().map(DeviceInfo::of).toList());
        return map;
    }

    private static Map<String, Object> head(VerbsDevice device) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("hca_id", device.name());
        map.put("node_type", device.nodeType().name().toLowerCase(Locale.ROOT));
        map.put("transport", device.transport().toString());
        map.put("node_guid", device.guid().toString());
        return map;
    }

    private static void putLimits(Map<String, Object> map, DeviceLimits limits) {
        map.put("max_mr_size", "0x%x".formatted(limits.regionByteSizeMax()));
        map.put("page_size_cap", "0x%x".formatted(limits.pageByteSizes()));
        map.put("max_qp", limits.queuePairCountMax());
        map.put("max_qp_wr", limits.depthMax());
        map.put("device_cap_flags", "0x%08x".formatted(limits.capabilityFlags()));
        map.put("max_sge", limits.elementCountMax());
        map.put("max_sge_rd", limits.readElementCountMax());
        map.put("max_cq", limits.completionQueueCountMax());
        map.put("max_cqe", limits.completionCountMax());
        map.put("max_mr", limits.regionCountMax());
        map.put("max_pd", limits.protectionDomainCountMax());
        map.put("max_qp_rd_atom", limits.readsAcceptedMax());
        map.put("max_qp_init_rd_atom", limits.readsOutstandingMax());
        map.put("atomic_cap", switch (limits.atomicCapability()) {
            case 0 -> "ATOMIC_NONE (0)";
            case 1 -> "ATOMIC_HCA (1)";
            case 2 -> "ATOMIC_GLOB (2)";
            default -> "unknown (" + limits.atomicCapability() + ")";
        });
        map.put("max_mw", limits.memoryWindowCountMax());
        map.put("max_ah", limits.addressHandleCountMax());
        map.put("max_srq", limits.sharedReceiveQueueCountMax());
        map.put("max_srq_wr", limits.sharedReceiveDepthMax());
        map.put("max_srq_sge", limits.sharedReceiveElementCountMax());
        map.put("max_pkeys", limits.partitionKeyCountMax());
    }

    private static Map<String, Object> of(Port port) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("port", port.number());
        map.put("state", port.state().toString());
        map.put("max_mtu", port.maxMtuBytes());
        map.put("active_mtu", port.activeMtuBytes());
        map.put("sm_lid", port.subnetManagerLid());
        map.put("port_lid", port.lid());
        map.put("port_lmc", "0x%02x".formatted(port.lidMaskControl()));
        map.put("link_layer", port.linkLayer().toString());
        map.put("max_msg_sz", port.messageByteSizeMax());
        map.put("GIDs", port.gids().stream().map(DeviceInfo::of).toList());
        return map;
    }

    private static Map<String, Object> of(GidEntry entry) {
        Map<String, Object> map = new LinkedHashMap<>();
        map.put("index", entry.index());
        map.put("GID", entry.gid().toString());
        map.put("type", entry.type().toString());
        map.put("ifindex", entry.networkInterfaceIndex());
        return map;
    }
}
