package dev.verbena.cli.doctor;

import java.util.List;

import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.Port;
import dev.verbena.verbs.PortState;
import dev.verbena.verbs.Provider;
import dev.verbena.verbs.TransportType;
import dev.verbena.verbs.VerbsDevice;
import dev.verbena.verbs.VerbsException;

/**
 * A device and what it said, or why it said nothing.
 *
 * @param provider null where it could not be asked
 * @param attributes null where it could not be asked
 * @param problem one sentence; null where it could
 */
record DeviceSeen(String name, TransportType transport, Provider provider, DeviceAttributes attributes,
        String problem) {
    static List<DeviceSeen> all() {
        return VerbsDevice.list().stream().map(DeviceSeen::ask).toList();
    }

    private static DeviceSeen ask(VerbsDevice device) {
        try {
            return new DeviceSeen(device.name(), device.transport(), device.provider(), device.query(), null);
        } catch (VerbsException e) {
            return new DeviceSeen(device.name(), device.transport(), null, null, e.getMessage());
        }
    }

    /** Only where it could be asked. */
    DeviceNature nature() {
        return DeviceNature.of(transport, provider, attributes);
    }

    List<Port> ports() {
        return attributes == null ? List.of() : attributes.ports();
    }

    List<Port> activePorts() {
        return ports().stream().filter(port -> port.state() == PortState.ACTIVE).toList();
    }

    String title(Port port) {
        return name + " port " + port.number();
    }
}
