package dev.verbena.testing.scaling;

import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.sim.SimFabric;
import dev.verbena.testing.sim.Simulation;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.SendResult;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;
import dev.verbena.transfer.spi.Opcode;

/**
 * A worker or a server in a simulation: a device as it ships, its tensors, and what its fabric was asked for.
 *
 * <p><b>Owner:</b> the test. <b>Threading:</b> the simulation's thread.
 */
final class SimulatedProcess implements AutoCloseable {
    static final ElementType TYPE = ElementType.INT64;
    static final Shape SHAPE = Shape.of(64);
    static final int DEPTH = 1;
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final long BLOCK_BYTE_SIZE = 4096;

    private final SimFabric fabric;
    private final RdmaDevice device;
    private final TensorArena arena;
    /** Of each sender: it stays as it is until it has been written. */
    private final List<Tensor> sources = new ArrayList<>();
    private final List<TensorReceiver> receivers = new ArrayList<>();
    private final List<TensorSender> senders = new ArrayList<>();

    /** That receives so many tensors in a step, and sends as many. */
    SimulatedProcess(Simulation simulation, String name, int queueDepth, int tensors) {
        fabric = simulation.openFabric();
        device = RdmaDevice.create(RdmaDeviceOptions.defaults().withName(name).withQueueDepth(queueDepth)
                .withProgress(Progress.callers().withSpins(0)), fabric);
        long byteSize = BLOCK_BYTE_SIZE * 2 * tensors;
        arena = TensorArena.create(device.slabSource(), byteSize, byteSize);
    }

    void receiveAs(String edge) {
        receivers.add(device.receiver(edge, arena, TYPE, SHAPE, DEPTH));
    }

    /** Asks for the slots of the peer's receiver, and waits for the answer. */
    void sendTo(SimulatedProcess peer, String edge) {
        senders.add(device.channel(peer.device.endpoint(), 0).sender(edge, TYPE, SHAPE, PATIENCE));
        sources.add(arena.allocate(TYPE, SHAPE));
    }

    /** One turn of a program that waits for nothing. */
    void progress() {
        device.progress();
    }

    void offer(int sender, long value) {
        Tensor source = sources.get(sender);
        for (long i = 0; i < SHAPE.elementCount(); i++) {
            source.memory().setAtIndex(JAVA_LONG, i, value);
        }
        assertEquals(SendResult.SENT, senders.get(sender).offer(source, failure -> assertNull(failure)));
    }

    /** @return false if it is not there yet */
    boolean receives(int receiver, long value) {
        try (Tensor tensor = receivers.get(receiver).poll()) {
            for (long i = 0; tensor != null && i < SHAPE.elementCount(); i++) {
                assertEquals(value, tensor.memory().getAtIndex(JAVA_LONG, i), "element " + i);
            }
            return tensor != null;
        }
    }

    int queuePairs() {
        return fabric.queuePairCount();
    }

    /** Those of the device itself: its arena is one more. */
    long controlRegions() {
        return fabric.registrationCount() - 1;
    }

    long controlByteSize() {
        return fabric.registeredByteSize() - arena.statistics().slabByteSize();
    }

    /** Calls and answers; each has one fragment. */
    long messages() {
        return fabric.posts(Opcode.SEND);
    }

    @Override
    public void close() {
        device.close();
    }
}
