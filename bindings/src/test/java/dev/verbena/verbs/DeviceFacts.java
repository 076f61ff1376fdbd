package dev.verbena.verbs;

import java.util.Set;

/**
 * What the needs of tests are judged by: what a device says of itself, and what it did when it was tried.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
record DeviceFacts(TransportType transport, LinkLayer linkLayer, Driver driver, DeviceLimits limits,
        Set<Trial> passed) {
    static DeviceFacts of(String device) {
        TransportType transport = VerbsDevice.list().stream().filter(each -> each.name().equals(device)).findAny()
                .orElseThrow(() -> new IllegalArgumentException(
                        "device=" + device + " is none of " + VerbsDevice.list()))
                .transport();
        try (DeviceContext context = DeviceContext.open(device)) {
            DeviceAttributes attributes = context.query();
            return new DeviceFacts(transport, attributes.ports().getFirst().linkLayer(), Driver.of(device),
                    attributes.limits(), Trial.passedBy(context));
        }
    }

    boolean makes(Trial trial) {
        return passed.contains(trial);
    }

    boolean hasFlag(int flag) {
        return (limits.capabilityFlags() & flag) != 0;
    }
}
