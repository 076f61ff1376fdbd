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
    void aPortIsActive() {
        assertEquals(PortState.ACTIVE, port().state());
    }

    private static Port port() {
        return VerbsDevice.list().stream().filter(each -> each.name().equals(NAME)).findAny().orElseThrow().query()
                .ports().getFirst();
    }

    @Test
    @Needs(Need.ROCE)
    void aPortHasARoceAddress() {
        Port port = port();
        assertTrue(
                port.gids().stream().anyMatch(entry -> entry.type() == GidType.ROCE_V2 && entry.gid().isIpv4Mapped()),
                () -> "gids=" + port.gids());
    }
}
