package dev.verbena.testing.program;

import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaDeviceOptions;

/** Devices in threads, for a guest has one processor, that do at random what devices can do, over an RDMA device. */
@Timeout(300)
class VerbsProgramsOnDevice {
    private static final int SEEDS = 4;

    @Test
    void whatIsOfferedArrivesOrBothSidesHearWhyNot() throws Exception {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device));
        try (Leader leader = new Leader(() -> Part.thread(options), false)) {
            for (long seed = 1; seed <= SEEDS; seed++) {
                leader.run(seed);
            }
            assertTrue(leader.tensors() > 0);
            assertTrue(leader.disturbances() > 0);
        }
    }
}
