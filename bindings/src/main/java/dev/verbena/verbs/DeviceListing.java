package dev.verbena.verbs;

import java.util.List;
import java.util.Locale;

/**
 * The text of {@code verbena device list}: for each device what {@code ibv_devinfo} shows, under the same names.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class DeviceListing {
    private DeviceListing() {}

    /**
     * All devices; where there is none the reason, one line. A device that cannot be asked is listed with the reason in
     * place of its ports.
     */
    public static String text() {
        List<VerbsDevice> devices = VerbsDevice.list();
        if (devices.isEmpty()) {
            String reason = Verbs.unavailableReason();
            // Null where one came between the two questions.
            return (reason == null ? "RDMA devices are just appearing: ask again." : reason) + "\n";
        }
        StringBuilder text = new StringBuilder();
        for (VerbsDevice device : devices) {
            try {
                text.append(text(device, device.query()));
            } catch (VerbsException failed) {
                text.append(head(device)).append(line(4, "unusable", failed.getMessage()));
            }
        }
        return text.toString();
    }

    static String text(VerbsDevice device, DeviceAttributes attributes) {
        StringBuilder text = new StringBuilder(head(device));
        if (!attributes.firmwareVersion().isEmpty()) {
            text.append(line(4, "fw_ver", attributes.firmwareVersion()));
        }
        text.append(line(4, "sys_image_guid", attributes.systemImageGuid()));
        text.append(line(4, "vendor_id", "0x%04x".formatted(attributes.vendorId())));
        text.append(line(4, "vendor_part_id", attributes.vendorPartId()));
        text.append(line(4, "hw_ver", "0x%X".formatted(attributes.hardwareVersion())));
        text.append(line(4, "phys_port_cnt", attributes.ports().size()));
        for (Port port : attributes.ports()) {
            text.append(line(8, "port", port.number()));
            text.append(line(12, "state", port.state()));
            text.append(line(12, "max_mtu", port.maxMtuBytes()));
            text.append(line(12, "active_mtu", port.activeMtuBytes()));
            text.append(line(12, "sm_lid", port.subnetManagerLid()));
            text.append(line(12, "port_lid", port.lid()));
            text.append(line(12, "port_lmc", "0x%02x".formatted(port.lidMaskControl())));
            text.append(line(12, "link_layer", port.linkLayer()));
            for (Gid gid : port.gids()) {
                text.append(line(12, "GID[" + gid.index() + "]", gid.address() + ", " + gid.type()));
            }
        }
        return text.toString();
    }

    private static String head(VerbsDevice device) {
        return line(0, "hca_id", device.name())
                + line(4, "node_type", device.nodeType().name().toLowerCase(Locale.ROOT))
                + line(4, "transport", device.transport()) + line(4, "node_guid", device.guid());
    }

    private static String line(int indent, String name, Object value) {
        String label = " ".repeat(indent) + name + ":";
        return label + " ".repeat(Math.max(1, 32 - label.length())) + value + "\n";
    }
}
