package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.QueuePair;

/**
 * Processes that do at random all that a fabric lets them do. What they post must complete exactly once and in order, memory must have
 * what was written and nothing else, losses are told of once, and nothing may stay.
 */
final class Traffic {
    private static final int ACTIONS = 250;
    private static final int SETTLE_ROUNDS = 5_000;

    final Simulation simulation;
    private final Random random;
    private final List<TrafficSide> sides = new ArrayList<>();
    private final Map<SimConnection, TrafficSide> sidesOf = new HashMap<>();
    private int flowCount;
    private int reservedCount;

    private Traffic(Simulation simulation, long seed) {
        this.simulation = simulation;
        random = Chance.random(seed * 31);
    }

    /**
     * @return what the run is known by
     * @throws AssertionError that says how to run it again
     */
    static long run(long seed, FaultPlan plan, Conduct conduct) {
        Simulation simulation = new Simulation(seed, plan, conduct);
        try (simulation) {
            new Traffic(simulation, seed).run();
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(simulation + ": " + e + "\n" + String.join("\n", simulation.history()), e);
        }
        if (!simulation.holdings().isEmpty()) {
            throw new AssertionError(simulation + " holds at its end " + simulation.holdings());
        }
        return simulation.fingerprint();
    }

    private void run() {
        for (int i = 0; i < 3; i++) {
            sides.add(new TrafficSide(this, i));
        }
        for (int i = 0; i < ACTIONS; i++) {
            act(sides.get(random.nextInt(sides.size())));
            sides.forEach(TrafficSide::check);
        }
        settle();
    }

    private void act(TrafficSide side) {
        if (!side.isAlive()) {
            simulation.step();
            return;
        }
        List<Flow> usable = side.flows.values().stream().filter(Flow::isUsable).toList();
        Flow flow = usable.isEmpty() ? null : usable.get(random.nextInt(usable.size()));
        int what = random.nextInt(100);
        if (flow == null || what < 3) {
            connect(side, sides.get(random.nextInt(sides.size())));
        } else if (what < 30) {
            flow.post(random);
        } else if (what < 45) {
            flow.postReceive();
        } else if (what < 65) {
            side.poll(1 + random.nextInt(8));
        } else if (what < 97) {
            simulation.step();
        } else {
            end(side, flow, random.nextInt(20));
        }
    }

    private void end(TrafficSide side, Flow flow, int how) {
        switch (how) {
            case 0 -> side.leaveAll(true);
            case 1 -> side.leaveAll(false);
            case 2, 3, 4, 5, 6 -> side.leave(flow.connection, true);
            case 7, 8, 9, 10 -> side.leave(flow.connection, false);
            case 11, 12 -> side.sleep(1_000_000);
            default -> flow.queuePair.fail("given up");
        }
    }

    private void connect(TrafficSide from, TrafficSide to) {
        int count = 1 + random.nextInt(2);
        if (reservedCount + 2 * count > TrafficSide.FLOW_COUNT_MAX) {
            return;
        }
        reservedCount += 2 * count;
        try {
            from.adopt(from.fabric.connect(to.endpoint, from.options(count), random.nextInt(1_000_000)));
        } catch (TransferException e) {
            check(e.getMessage().contains(to.endpoint.toString()), e.getMessage());
        } catch (IllegalStateException e) {
            check(!from.fabric.isAlive(), e.getMessage());
        }
    }

    boolean isRefused() {
        return random.nextInt(10) == 0;
    }

    private void settle() {
        int rounds = 0;
        while (!sides.stream().flatMap(side -> side.flows.values().stream()).allMatch(Flow::isSettled)) {
            check(rounds++ < SETTLE_ROUNDS, "hangs: " + sides.stream()
                    .flatMap(side -> side.flows.values().stream()).filter(flow -> !flow.isSettled()).toList());
            for (TrafficSide side : sides) {
                if (side.isAlive()) {
                    side.poll(8);
                    side.sleep(10_000);
                    side.check();
                }
            }
        }
        sides.stream().filter(TrafficSide::isAlive).forEach(TrafficSide::checkLosses);
        sides.stream().filter(TrafficSide::isAlive).flatMap(side -> side.flows.values().stream())
                .filter(Flow::isUsable).forEach(Flow::checkFreeSlots);
    }

    // ---- who is who ----

    void know(SimConnection connection, TrafficSide side) {
        sidesOf.put(connection, side);
    }

    TrafficSide side(SimConnection connection) {
        return sides.stream().filter(side -> side.queues().contains(connection.queuePair(0).completionQueue()))
                .findFirst().orElseThrow();
    }

    /** Null if its owner does not know it yet. */
    Flow flow(QueuePair queuePair) {
        TrafficSide side = sidesOf.get(queuePair.connection());
        return side == null ? null : side.flows.get(queuePair);
    }

    int nextIndex() {
        return flowCount++;
    }

    void check(boolean holds, String otherwise) {
        if (!holds) {
            throw new AssertionError(otherwise);
        }
    }
}
