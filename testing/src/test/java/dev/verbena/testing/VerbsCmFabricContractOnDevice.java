package dev.verbena.testing;

import dev.verbena.transfer.ConnectMode;
import dev.verbena.transfer.NetworkOptions;

/** The verbs fabric on a real device, connected through the connection manager, whatever the device. */
class VerbsCmFabricContractOnDevice extends VerbsFabricContractOnDevice {
    @Override
    protected NetworkOptions network() {
        return super.network().withConnectMode(ConnectMode.CM);
    }
}
