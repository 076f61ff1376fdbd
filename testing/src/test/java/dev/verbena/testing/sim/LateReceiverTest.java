package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.TransferException;

/** A sender that comes before its receiver is told when there is one; until then nobody asks, and nothing is left of who has given up. */
class LateReceiverTest {
    private static final Shape SHAPE = Shape.of(8);
    private static final Duration TIMEOUT = Duration.ofSeconds(30);
    private static final long TURN_NS = 100_000_000;
    /** A few messages, of some microseconds each. */
    private static final long TOLD_NS = 200_000;

    private final List<String> before = new ArrayList<>();
    private TensorReceiver receiver;
    private boolean isOver;

    private static RdmaDevice device(Simulation simulation, String name) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name).withQueueDepth(16)
                .withProgress(Progress.callers().withSpins(4)), simulation.openFabric());
    }

    @ParameterizedTest
    @ValueSource(longs = {2_000_001_000L, 2_003_000_000L, 2_007_000_000L, 2_011_000_000L})
    void theSenderIsToldAndAsksOnlyThen(long announcedNs) {
        try (Simulation simulation = new Simulation(1, FaultPlan.parse(""));
                RdmaDevice to = device(simulation, "receiver");
                RdmaDevice from = device(simulation, "sender");
                TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, 1 << 20)) {
            takeTurns(simulation, to);
            simulation.schedule(announcedNs - simulation.deviceNs(), "announced", () -> {
                before.addAll(simulation.history());
                receiver = to.receiver("edge", target, ElementType.INT64, SHAPE, 1);
                takeShortTurns(simulation, to);
            });
            TensorSender sender = from.channel(to.endpoint(), 0).sender("edge", ElementType.INT64, SHAPE, TIMEOUT);
            assertTrue(simulation.deviceNs() - announcedNs < TOLD_NS,
                    () -> "told after ns=" + (simulation.deviceNs() - announcedNs));
            int turns = (int) before.reversed().stream().takeWhile(each -> !each.contains("SEND")).count();
            assertTrue(turns >= (announcedNs - 1_000_000_000L) / TURN_NS, () -> String.join("\n", before));
            sender.close();
            receiver.close();
            isOver = true;
        }
    }

    @Test
    void whoHasGivenUpIsNotTold() {
        try (Simulation simulation = new Simulation(1, FaultPlan.parse(""));
                RdmaDevice to = device(simulation, "receiver");
                RdmaDevice from = device(simulation, "sender");
                TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, 1 << 20)) {
            takeTurns(simulation, to);
            String message = assertThrows(TransferException.class, () -> from.channel(to.endpoint(), 0).sender("edge",
                    ElementType.INT64, SHAPE, Duration.ofSeconds(1))).getMessage();
            assertTrue(message.contains("has no receiver 'edge' after 1000 ms"), message);
            simulation.run(2 * TURN_NS);
            from.progress();
            isOver = true;
            simulation.run(TURN_NS);
            long fingerprint = simulation.fingerprint();
            receiver = to.receiver("edge", target, ElementType.INT64, SHAPE, 1);
            simulation.run(TURN_NS);
            assertEquals(fingerprint, simulation.fingerprint(), "nobody is told");
            receiver.close();
        }
    }

    private void takeTurns(Simulation simulation, RdmaDevice to) {
        if (!isOver) {
            to.progress();
            simulation.schedule(TURN_NS, "a turn", () -> takeTurns(simulation, to));
        }
    }

    private void takeShortTurns(Simulation simulation, RdmaDevice to) {
        if (!isOver) {
            to.progress();
            simulation.schedule(1_000, "a short turn", () -> takeShortTurns(simulation, to));
        }
    }
}
