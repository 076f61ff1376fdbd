package dev.verbena.testing;

import static org.junit.jupiter.api.Assumptions.assumeFalse;

import org.junit.jupiter.api.BeforeAll;

import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;

/** The verbs fabric on a real device, connected through the connection manager. */
class VerbsCmFabricContractOnDevice extends VerbsFabricContractOnDevice {
    @BeforeAll
    static void thereIsAnotherWay() {
        assumeFalse(TestNetwork.has(TestNetwork.ofEnvironment(), "connect", "cm"),
                "VerbsFabricContractOnDevice connects so already: the device knows no other way");
    }

    @Override
    protected NetworkOptions network() {
        return super.network().withConnectMode(ConnectMode.CM);
    }
}
