package dev.verbena.testing.sim;

import java.util.ArrayDeque;
import java.util.Queue;

/**
 * How a process fares: whether it lives, moves, and has a network.
 *
 * <p><b>Owner:</b> its fabric. <b>Threading:</b> confined to the simulation.
 */
final class SimProcess {
    private final Simulation simulation;
    /** What was said to it while it stood still. */
    private final Queue<Runnable> unheard = new ArrayDeque<>();
    private boolean isAlive = true;
    private long stillSinceNs;
    private long stillUntilNs;
    private long cutUntilNs;

    SimProcess(Simulation simulation) {
        this.simulation = simulation;
    }

    boolean isAlive() {
        return isAlive;
    }

    /** Whether it does nothing at present, or never again. */
    boolean isStill() {
        return !isAlive || simulation.deviceNs() < stillUntilNs;
    }

    /** Whether it has done nothing for so long, and does nothing now; but lives. */
    boolean isStillFor(long durationNs) {
        return isAlive && isStill() && simulation.deviceNs() - stillSinceNs >= durationNs;
    }

    boolean reaches(SimProcess other) {
        return isAlive && other.isAlive && !isCutFrom(other);
    }

    boolean isCutFrom(SimProcess other) {
        return this != other && simulation.deviceNs() < Math.max(cutUntilNs, other.cutUntilNs);
    }

    /** Something is said to it: by a peer, or by the system. It hears it once it does not stand still. */
    void hear(Runnable said) {
        if (!isAlive) {
            return;
        }
        if (isStill() || !unheard.isEmpty()) {
            unheard.add(said);
        } else {
            said.run();
        }
    }

    void pause(long lengthNs) {
        if (!isStill()) {
            stillSinceNs = simulation.deviceNs();
        }
        stillUntilNs = Math.max(stillUntilNs, simulation.deviceNs() + lengthNs);
        simulation.schedule(lengthNs, "somebody goes on", () -> {
            while (!isStill() && !unheard.isEmpty()) {
                unheard.remove().run();
            }
        });
    }

    void cut(long lengthNs) {
        cutUntilNs = Math.max(cutUntilNs, simulation.deviceNs() + lengthNs);
    }

    void die() {
        isAlive = false;
        unheard.clear();
    }
}
