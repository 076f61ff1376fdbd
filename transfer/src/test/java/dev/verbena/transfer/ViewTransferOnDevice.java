package dev.verbena.transfer;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A device gathers views itself. */
@Timeout(300)
class ViewTransferOnDevice {
    @Test
    void viewsArriveWhole() {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        RdmaDeviceOptions options = RdmaDeviceOptions.defaults().withFabric("verbs")
                .withNetwork(device == null ? network : network.withDevice(device)).withQueueDepth(16);
        try (DevicePair pair = new DevicePair(options)) {
            ViewTransfer.assertArrive(pair, 12, 10);
        }
    }
}
