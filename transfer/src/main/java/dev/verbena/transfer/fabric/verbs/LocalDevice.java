package dev.verbena.transfer.fabric.verbs;

import java.util.List;

import dev.verbena.verbs.DeviceAttributes;
import dev.verbena.verbs.VerbsDevice;
import dev.verbena.verbs.VerbsException;

/**
 * A device of this machine and what it said of itself, or why it said nothing.
 *
 * <p><b>Owner:</b> none, it holds nothing open. <b>Threading:</b> immutable.
 *
 * @param attributes null where it could not be asked
 * @param problem one sentence; null where it could
 */
public record LocalDevice(VerbsDevice device, DeviceAttributes attributes, String problem) {
    static List<LocalDevice> list() {
        return VerbsDevice.list().stream().map(LocalDevice::ask).toList();
    }

    public String name() {
        return device.name();
    }

    private static LocalDevice ask(VerbsDevice device) {
        try {
            return new LocalDevice(device, device.query(), null);
        } catch (VerbsException e) {
            return new LocalDevice(device, null, e.getMessage());
        }
    }
}
