package dev.verbena.testing;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.NetworkOptions;

/** The verbs fabric on a real device, sleeping on completion channels. */
class VerbsEventsFabricContractOnDevice extends VerbsFabricContractOnDevice {
    @Override
    protected NetworkOptions network() {
        return super.network().withCompletionMode(CompletionMode.EVENTS);
    }
}
