package dev.verbena.testing.scaling;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import dev.verbena.testing.sim.FaultPlan;
import dev.verbena.testing.sim.Simulation;

/**
 * One server with a thousand workers, each a device as it ships: each sends a tensor a step and is sent one, and what all that takes is what
 * {@link ScalingModel} says, to the last region. Takes some 550 MB.
 */
@Timeout(120)
class ThousandPeersTest {
    private static final int WORKERS = 1000;
    private static final int STEPS = 2;
    private static final int QUEUE_DEPTH = 4;
    private static final long STEP_NS = TimeUnit.SECONDS.toNanos(10);

    private final List<SimulatedProcess> workers = new ArrayList<>();
    private SimulatedProcess server;
    /** Whose peer waits for an answer. */
    private SimulatedProcess asked;

    @Test
    void eachTensorArrivesAndTheModelIsExact() {
        try (Simulation simulation = new Simulation(1, FaultPlan.NONE)) {
            server = new SimulatedProcess(simulation, "server", QUEUE_DEPTH, WORKERS);
            takeTurns(simulation);
            for (int i = 0; i < WORKERS; i++) {
                join(simulation, i);
            }
            asked = null;
            assertTakes(ScalingModel.server(WORKERS, 1), server);
            for (SimulatedProcess worker : workers) {
                assertTakes(ScalingModel.worker(1, 1), worker);
            }
            for (int step = 1; step <= STEPS; step++) {
                assertEquals(WORKERS, gradients(simulation, step));
                assertEquals(WORKERS, parameters(simulation, step));
            }
            // Steps ask for nothing.
            assertTakes(ScalingModel.server(WORKERS, 1), server);
        }
    }

    private void join(Simulation simulation, int i) {
        SimulatedProcess worker = new SimulatedProcess(simulation, "worker " + i, QUEUE_DEPTH, 1);
        workers.add(worker);
        server.receiveAs("gradient " + i);
        worker.receiveAs("parameter");
        asked = server;
        worker.sendTo(server, "gradient " + i);
        asked = worker;
        server.sendTo(worker, "parameter");
    }

    /** Who is asked for slots answers when it is its turn. */
    private void takeTurns(Simulation simulation) {
        if (asked != null) {
            asked.progress();
        }
        simulation.schedule(3_000, "the turn of who is asked", () -> takeTurns(simulation));
    }

    private int gradients(Simulation simulation, int step) {
        for (int i = 0; i < WORKERS; i++) {
            workers.get(i).offer(0, value(step, i));
        }
        return arrivals(simulation, i -> server.receives(i, value(step, i)));
    }

    private int parameters(Simulation simulation, int step) {
        for (int i = 0; i < WORKERS; i++) {
            server.offer(i, value(step, -i));
        }
        return arrivals(simulation, i -> workers.get(i).receives(0, value(step, -i)));
    }

    private static long value(int step, int i) {
        return step * 1_000_003L + i;
    }

    private interface Arrival {
        boolean isHere(int i);
    }

    private static int arrivals(Simulation simulation, Arrival arrival) {
        BitSet here = new BitSet();
        assertTrue(simulation.runUntil(() -> {
            for (int i = here.nextClearBit(0); i < WORKERS; i = here.nextClearBit(i + 1)) {
                here.set(i, arrival.isHere(i));
            }
            return here.cardinality() == WORKERS;
        }, STEP_NS));
        return here.cardinality();
    }

    private static void assertTakes(ScalingModel says, SimulatedProcess process) {
        ScalingModel model = says.withQueueDepth(QUEUE_DEPTH);
        assertEquals(model.queuePairs(), process.queuePairs());
        assertEquals(model.messages(), process.messages());
        assertEquals(model.controlRegions(), process.controlRegions());
        assertEquals(model.controlByteSize(), process.controlByteSize());
    }
}
