package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/** Devices as they ship, driven by their callers, in a simulation: tensors arrive whole and in order whatever a fabric may do. */
class DeviceInSimulationTest {
    private static final int SEEDS = 200;
    private static final int TENSORS = 20;
    private static final int DEPTH = 2;
    private static final Shape SHAPE = Shape.of(100);
    private static final Duration TIMEOUT = Duration.ofSeconds(10);

    private final List<Long> received = new ArrayList<>();
    private boolean isOver;

    @Test
    void tensorsArriveWholeAndInOrder() {
        for (long seed = 1; seed <= SEEDS; seed++) {
            run(seed);
        }
    }

    @Test
    void theSameSeedIsTheSameRun() {
        for (long seed = 1; seed <= 20; seed++) {
            assertEquals(run(seed), run(seed));
        }
    }

    /** @return what the run is known by */
    private long run(long seed) {
        received.clear();
        isOver = false;
        Simulation simulation = new Simulation(seed, FaultPlan.harmless(seed));
        try (simulation) {
            send(simulation);
        } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(simulation + ": " + e + "\n" + String.join("\n", simulation.history()), e);
        }
        assertEquals(List.of(), simulation.holdings());
        return simulation.fingerprint();
    }

    private static RdmaDevice device(Simulation simulation, String name) {
        return RdmaDevice.create(
                RdmaDeviceOptions.defaults().withName(name).withProgress(Progress.callers().withSpins(64))
                        .withQueueDepth(16),
                simulation.openFabric());
    }

    private void send(Simulation simulation) {
        try (RdmaDevice to = device(simulation, "receiver"); RdmaDevice from = device(simulation, "sender")) {
            TensorArena target = TensorArena.create(to.slabSource(), 1 << 16, 1 << 20);
            TensorArena source = TensorArena.create(from.slabSource(), 1 << 16, 1 << 20);
            TensorReceiver receiver = to.receiver("edge", target, ElementType.INT64, SHAPE, DEPTH);
            takeTurns(simulation, to, receiver);
            TensorSender sender = from.channel(to.endpoint(), 0).sender("edge", ElementType.INT64, SHAPE, TIMEOUT);
            for (long i = 1; i <= TENSORS; i++) {
                Tensor tensor = source.allocate(ElementType.INT64, SHAPE);
                fill(tensor, i);
                while (sender.offer(tensor, failure -> assertNull(failure)) == SendResult.BACK_PRESSURED) {
                    from.awaitActivity(from.activity(), 10_000);
                }
                tensor.close();
            }
            assertTrue(simulation.runUntil(() -> {
                from.progress();
                return received.size() == TENSORS;
            }, TIMEOUT.toNanos()), () -> "received " + received);
            assertEquals(LongStream.rangeClosed(1, TENSORS).boxed().toList(), received);
            isOver = true;
            sender.close();
            receiver.close();
            source.close();
            target.close();
        }
    }

    /** The receiving process has its turn now and then, while the sending one polls or waits. */
    private void takeTurns(Simulation simulation, RdmaDevice to, TensorReceiver receiver) {
        if (isOver) {
            return;
        }
        to.progress();
        Tensor tensor = receiver.poll();
        if (tensor != null) {
            received.add(whole(tensor));
            tensor.close();
        }
        simulation.schedule(3_000, "the receiver's turn", () -> takeTurns(simulation, to, receiver));
    }

    private static void fill(Tensor tensor, long value) {
        for (long i = 0; i < SHAPE.elementCount(); i++) {
            tensor.memory().setAtIndex(JAVA_LONG, i, value);
        }
    }

    private static long whole(Tensor tensor) {
        long first = tensor.memory().getAtIndex(JAVA_LONG, 0);
        for (long i = 0; i < SHAPE.elementCount(); i++) {
            assertEquals(first, tensor.memory().getAtIndex(JAVA_LONG, i), "element " + i);
        }
        return first;
    }
}
