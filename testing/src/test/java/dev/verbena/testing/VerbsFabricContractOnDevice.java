package dev.verbena.testing;

import static org.junit.jupiter.api.Assumptions.assumeTrue;

import org.junit.jupiter.api.Test;

import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Fabrics;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.RdmaPort;
import dev.verbena.transfer.spi.Fabric;

/** The verbs fabric on a real device, polling. */
class VerbsFabricContractOnDevice extends FabricContract {
    @Override
    protected final Fabric open() {
        return open(network());
    }

    protected NetworkOptions network() {
        return network(CompletionMode.POLLING);
    }

    /** Of the device that is to be tested, as this class is for. */
    static NetworkOptions network(CompletionMode mode) {
        NetworkOptions network = NetworkOptions.ofEnvironment(System.getenv()).withCompletionMode(mode);
        String device = System.getenv("VERBENA_TEST_DEVICE");
        return device == null ? network : network.withDevice(device);
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
        boolean isChecked = RdmaPort.choose(network()).settings().stream()
                .anyMatch(each -> each.name().equals("readRight") && each.value().equals("checked"));
        assumeTrue(isChecked, "the device lets peers read regions without REMOTE_READ");
    }
}
