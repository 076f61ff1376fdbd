package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/** On a fabric that cannot tell that it was written to, nobody sleeps through what he waits for. */
class SilentWritesTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final long PAUSE_NS = 100_000;
    private static final int TENSORS = 10;
    private static final ElementType TYPE = ElementType.INT64;
    private static final Shape SHAPE = Shape.of(100);

    private boolean isOver;

    private static RdmaDevice device(Simulation simulation, String name, ArrivalMode mode) {
        return RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name).withArrivalMode(mode).withQueueDepth(16)
                .withProgress(Progress.callers().withSpins(4)), simulation.openFabric());
    }

    /** That a slot is free again is a plain write, whichever way tensors arrive. */
    @ParameterizedTest
    @EnumSource(value = ArrivalMode.class, names = {"TAIL", "IMMEDIATE"})
    void senderThatWaitsForASlotSeesItSoon(ArrivalMode mode) {
        try (Simulation simulation = new Simulation(1, FaultPlan.parse("").with(Fault.SILENT_WRITES, 1));
                RdmaDevice to = device(simulation, "receiver", mode);
                RdmaDevice from = device(simulation, "sender", mode)) {
            TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, 1 << 20);
            TensorArena source = TensorArena.create(from.slabSource(), 1 << 16, 1 << 20);
            TensorReceiver receiver = to.receiver("edge", target, TYPE, SHAPE, 1);
            takeTurns(simulation, to, receiver);
            TensorSender sender = from.channel(to.endpoint(), 0).sender("edge", TYPE, SHAPE, TIMEOUT);
            Tensor tensor = source.allocate(TYPE, SHAPE);
            long startNs = simulation.deviceNs();
            for (int i = 0; i < TENSORS; i++) {
                sender.send(tensor, TIMEOUT);
            }
            long tookNs = simulation.deviceNs() - startNs;
            assertTrue(tookNs < TENSORS * 4 * PAUSE_NS, () -> "virtual ns=" + tookNs);
            tensor.close();
            sender.close();
            isOver = true;
            receiver.close();
            source.close();
            target.close();
        }
    }

    private void takeTurns(Simulation simulation, RdmaDevice to, TensorReceiver receiver) {
        if (isOver) {
            return;
        }
        to.progress();
        Tensor tensor = receiver.poll();
        if (tensor != null) {
            tensor.close();
        }
        simulation.schedule(PAUSE_NS, "the receiver's turn", () -> takeTurns(simulation, to, receiver));
    }
}
