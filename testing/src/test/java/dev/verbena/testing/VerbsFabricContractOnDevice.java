package dev.verbena.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Fabric;

/** The verbs fabric on a real device, polling. */
class VerbsFabricContractOnDevice extends FabricContract {
    @Override
    protected final Fabric open() {
        return open(network());
    }

    protected NetworkOptions network() {
        return TestNetwork.ofEnvironment().withCompletionMode(CompletionMode.POLLING);
    }

    static Fabric open(NetworkOptions network) {
        return Fabrics.select("verbs", network).open(network);
    }

    @Override
    @Test
    public void aReadWithoutItsRightIsRefused() {
        assumeReadRight();
        super.aReadWithoutItsRightIsRefused();
    }

    @Override
    @Test
    public void nobodyReadsASource() {
        assumeReadRight();
        super.nobodyReadsASource();
    }

    private void assumeReadRight() {
        assumeTrue(TestNetwork.has(network(), "readRight", "checked"),
                "the device lets peers read regions without REMOTE_READ");
    }
}
