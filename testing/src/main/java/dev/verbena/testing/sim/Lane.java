package dev.verbena.testing.sim;

/**
 * A way on which nothing overtakes: what is sent later arrives later.
 *
 * <p><b>Owner:</b> who sends. <b>Threading:</b> confined to the simulation.
 */
final class Lane {
    private final Simulation simulation;
    private long lastNs;

    Lane(Simulation simulation) {
        this.simulation = simulation;
    }

    void send(String what, Runnable action) {
        lastNs = Math.max(lastNs, simulation.deviceNs() + simulation.chance().delayNs());
        simulation.at(lastNs, what, action);
    }
}
