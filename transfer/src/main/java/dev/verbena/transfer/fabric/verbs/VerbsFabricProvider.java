package dev.verbena.transfer.fabric.verbs;

import java.util.List;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.transfer.spi.Setting;

/**
 * Opens the fabric over an RDMA device: preferred where there is one.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> thread-safe.
 */
public final class VerbsFabricProvider implements FabricProvider {
    private static final int PREFERENCE = 20;

    /** For the service loader. */
    public VerbsFabricProvider() {}

    @Override
    public String name() {
        return VerbsFabric.NAME;
    }

    @Override
    public int preference() {
        return PREFERENCE;
    }

    @Override
    public String unavailableReason(NetworkOptions network) {
        try {
            PortChoice.ofMachine(network);
            return null;
        } catch (TransferException e) {
            return e.getMessage();
        }
    }

    @Override
    public List<Setting> settings(NetworkOptions network) {
        return PortChoice.ofMachine(network).settings();
    }

    @Override
    public Fabric open(NetworkOptions network) {
        return VerbsFabric.open(PortChoice.ofMachine(network), network);
    }
}
