package dev.verbena.testing.sim;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/** Where callers drive, who offers again and again, and does nothing else, is taken in the end, whatever it was that had no room. */
class OfferAloneTest {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final ElementType TYPE = ElementType.INT64;
    private static final Shape SHAPE = Shape.of(1 << 16);
    private static final int OFFERS_MAX = 10_000;

    private static RdmaDevice device(Simulation simulation, String name) {
        return RdmaDevice.create(
                RdmaDeviceOptions.defaults().withName(name).withProgress(Progress.callers().withSpins(4)),
                simulation.openFabric());
    }

    /** The receiver has slots left; the arena for copies has room for one, which is free when the first has left. */
    @Test
    void aCopyIsTakenWhenTheOneBeforeHasLeft() {
        long stagingByteSize = TensorArena.plannedByteSize(1, SHAPE.byteSize(TYPE));
        try (Simulation simulation = new Simulation(1, FaultPlan.parse(""));
                RdmaDevice to = device(simulation, "receiver");
                RdmaDevice from = device(simulation, "sender");
                TensorArena ordinary = TensorArena.create(new OffHeapSlabSource(), 1 << 16, 1 << 20);
                Tensor tensor = ordinary.allocate(TYPE, SHAPE)) {
            TensorArena target = TensorArena.create(to.slabSource(), 1 << 20, 8 << 20);
            TensorArena staging = TensorArena.create(from.slabSource(), stagingByteSize, stagingByteSize);
            TensorReceiver receiver = to.receiver("edge", target, TYPE, SHAPE, 4);
            simulation.schedule(0, "the receiver answers", () -> answer(simulation, to));
            TensorSender sender = from.channel(to.endpoint(), 0).sender("edge", TYPE, SHAPE, TIMEOUT);
            for (int i = 0; i < 4; i++) {
                int offers = 1;
                while (sender.offerCopy(tensor, staging, null) != SendResult.SENT && offers <= OFFERS_MAX) {
                    offers++;
                }
                assertTrue(offers <= OFFERS_MAX, "copy " + i + " is not taken");
            }
            sender.close();
            receiver.close();
            staging.close();
            target.close();
        }
    }

    private static void answer(Simulation simulation, RdmaDevice to) {
        to.progress();
        simulation.schedule(100_000, "the receiver answers", () -> answer(simulation, to));
    }
}
