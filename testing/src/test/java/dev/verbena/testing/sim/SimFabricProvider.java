package dev.verbena.testing.sim;

import java.util.List;

import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.FabricProvider;
import dev.verbena.transfer.spi.Setting;

/**
 * Opens fabrics of the simulation that the thread is in; there is none for others.
 *
 * <p><b>Owner:</b> the service loader. <b>Threading:</b> thread-safe.
 */
public final class SimFabricProvider implements FabricProvider {
    private static final ThreadLocal<Simulation> SIMULATION = new ThreadLocal<>();

    /** For the service loader. */
    public SimFabricProvider() {}

    /** From now on this thread is in that simulation; in none, if null. */
    static void enter(Simulation simulation) {
        SIMULATION.set(simulation);
    }

    @Override
    public String name() {
        return "sim";
    }

    @Override
    public int preference() {
        return Integer.MIN_VALUE;
    }

    @Override
    public String unavailableReason(NetworkOptions network) {
        return SIMULATION.get() == null ? "this thread is in no simulation; enter one" : null;
    }

    @Override
    public List<Setting> settings(NetworkOptions network) {
        return List.of();
    }

    @Override
    public Fabric open(NetworkOptions network) {
        return SIMULATION.get().openFabric();
    }
}
