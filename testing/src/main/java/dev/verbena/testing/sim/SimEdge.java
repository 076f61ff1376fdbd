package dev.verbena.testing.sim;

import dev.verbena.transfer.spi.Edge;

/**
 * Virtual time, and tasks that are events of the simulation. A task may wait, by stepping in turn; so it comes when nobody polls, since
 * a device must not wait while it polls, and whoever is waited for could not go on.
 *
 * <p><b>Owner:</b> its fabric. <b>Threading:</b> confined to the simulation.
 */
final class SimEdge implements Edge {
    private static final long PAUSE_NS = 1_000;

    private final Simulation simulation;
    private final SimFabric fabric;

    SimEdge(Simulation simulation, SimFabric fabric) {
        this.simulation = simulation;
        this.fabric = fabric;
    }

    @Override
    public long nanoTime() {
        return simulation.nanoTime();
    }

    @Override
    public void execute(Runnable task) {
        simulation.later("a task of " + fabric, () -> run(task));
    }

    /** Up to what happens next, which is the first that may have woken anybody. */
    @Override
    public void park(Object blocker, long timeoutNs) {
        simulation.pass(timeoutNs);
    }

    /** Of a process that has died, nothing runs. */
    private void run(Runnable task) {
        if (simulation.isPolling() || fabric.isAlive() && fabric.process().isStill()) {
            simulation.schedule(PAUSE_NS, "a task of " + fabric + " waits for its turn", () -> run(task));
        } else if (fabric.isAlive()) {
            task.run();
        }
    }
}
