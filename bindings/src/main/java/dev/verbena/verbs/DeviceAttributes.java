package dev.verbena.verbs;

import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.List;

import dev.verbena.verbs.abi.ibv_device_attr;

/**
 * What an RDMA device says of itself once it is opened.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param firmwareVersion empty for software devices
 * @param systemImageGuid shared by the devices of one board
 * @param vendorId the vendor's IEEE number
 * @param vendorPartId the vendor's number for the part
 * @param hardwareVersion the vendor's number for the revision
 * @param limits what it can take
 * @param ports all of them, in order
 */
public record DeviceAttributes(String firmwareVersion, Guid systemImageGuid, int vendorId, int vendorPartId,
        int hardwareVersion, DeviceLimits limits, List<Port> ports) {
    /** Copies the list of ports, which holds no null. */
    public DeviceAttributes {
        ports = List.copyOf(ports);
    }

    static DeviceAttributes of(MemorySegment attributes, List<Port> ports) {
        return new DeviceAttributes(ibv_device_attr.fw_ver(attributes).getString(0),
                guid(ibv_device_attr.sys_image_guid(attributes)),
                ibv_device_attr.vendor_id(attributes), ibv_device_attr.vendor_part_id(attributes),
                ibv_device_attr.hw_ver(attributes), DeviceLimits.of(attributes), ports);
    }

    /** GUIDs are __be64 everywhere in verbs. */
    static Guid guid(long bigEndian) {
        return new Guid(ByteOrder.nativeOrder() == ByteOrder.BIG_ENDIAN ? bigEndian : Long.reverseBytes(bigEndian));
    }
}
