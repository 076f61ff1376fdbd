package dev.verbena.testing;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaPort;

/** The network that tests are run on: as users choose it, but for the RDMA device, which VERBENA_TEST_DEVICE names. */
public final class TestNetwork {
    private TestNetwork() {}

    public static NetworkOptions ofEnvironment() {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv());
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return device == null ? network : network.withDevice(device);
    }

    /** Whether the verbs fabric chooses that setting on this network, such as to connect by cm. */
    static boolean has(NetworkOptions network, String setting, String value) {
        return RdmaPort.choose(network).settings().stream()
                .anyMatch(each -> each.name().equals(setting) && each.value().equals(value));
    }
}
