package dev.verbena.testing;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Fabric;

/** The verbs fabric on a real device, polling. */
class VerbsFabricContractOnDevice extends FabricContract {
    @Override
    protected Fabric open() {
        return open(CompletionMode.POLLING);
    }

    static Fabric open(CompletionMode mode) {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv()).withCompletionMode(mode);
        return Fabrics.select("verbs", network).open(network);
    }
}
