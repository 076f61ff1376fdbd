package dev.verbena.testing;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.spi.Fabric;

/** The verbs fabric on a real device, sleeping on completion channels. */
class VerbsEventsFabricContractOnDevice extends FabricContract {
    @Override
    protected Fabric open() {
        return VerbsFabricContractOnDevice.open(CompletionMode.EVENTS);
    }
}
