package dev.verbena.verbs;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

/** The listing of devices against a kernel that has one: the one that VERBENA_TEST_DEVICE names. */
class VerbsDeviceOnDevice {
    private static final String NAME = System.getenv("VERBENA_TEST_DEVICE");

    @Test
    void theDeviceIsListed() {
        assertNull(Verbs.unavailableReason());
        assertTrue(VerbsDevice.list().stream().anyMatch(device -> device.name().equals(NAME)),
                () -> NAME + " in " + VerbsDevice.list());
    }

    @Test
    void aPortIsActiveAndHasARoceAddress() {
        VerbsDevice device = VerbsDevice.list().stream().filter(each -> each.name().equals(NAME)).findAny()
                .orElseThrow();
        Port port = device.query().ports().getFirst();
        assertEquals(PortState.ACTIVE, port.state());
        assertTrue(
                port.gids().stream().anyMatch(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped()),
                () -> "gids=" + port.gids());
    }
}
