package dev.verbena.testing.scaling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.TensorArena;
import dev.verbena.testing.sim.FaultPlan;
import dev.verbena.testing.sim.SimFabric;
import dev.verbena.testing.sim.Simulation;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Group;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.spi.Opcode;

/** What a group takes when all members have found each other is what {@link ScalingModel} says. */
class GroupInSimulationTest {
    private static final int MEMBERS = 24;
    private static final int FIRST_PORT = 7000;
    /** As many as members have that share processors: here they do, however many there are. */
    private static final int SLOTS = 3;
    private static final int CHUNK_BYTE_SIZE = 1 << 16;
    private static final int QUEUE_DEPTH = 16;
    private static final long ARENA_BYTE_SIZE = 1 << 21;
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final List<SimFabric> fabrics = new ArrayList<>();
    private final List<RdmaDevice> devices = new ArrayList<>();

    @Test
    void membersTakeWhatTheModelSays() {
        try (Simulation simulation = new Simulation(1, FaultPlan.NONE)) {
            List<Endpoint> endpoints = IntStream.range(0, MEMBERS)
                    .mapToObj(i -> new Endpoint("localhost", FIRST_PORT + i)).toList();
            endpoints.forEach(endpoint -> open(simulation, endpoint));
            List<Group> groups = IntStream.range(0, MEMBERS).mapToObj(rank -> group(rank, endpoints)).toList();
            takeTurns(simulation);
            groups.forEach(group -> group.join(PATIENCE));
            for (SimFabric fabric : fabrics) {
                assertTakes(ScalingModel.member(MEMBERS).withQueueDepth(QUEUE_DEPTH), fabric);
            }
        }
    }

    private void open(Simulation simulation, Endpoint endpoint) {
        SimFabric fabric = simulation.openFabric();
        fabrics.add(fabric);
        devices.add(RdmaDevice
                .create(RdmaDeviceOptions.defaults().withName("rank " + devices.size()).withLocalEndpoint(endpoint)
                        .withQueueDepth(QUEUE_DEPTH).withProgress(Progress.callers().withSpins(0)), fabric));
    }

    private Group group(int rank, List<Endpoint> endpoints) {
        RdmaDevice device = devices.get(rank);
        TensorArena arena = TensorArena.create(device.slabSource(), ARENA_BYTE_SIZE, ARENA_BYTE_SIZE);
        return device.group("all", rank, endpoints, arena,
                GroupOptions.defaults().withChunkByteSize(CHUNK_BYTE_SIZE).withDepth(SLOTS));
    }

    private void takeTurns(Simulation simulation) {
        devices.forEach(RdmaDevice::progress);
        simulation.schedule(3_000, "the turns of all", () -> takeTurns(simulation));
    }

    private static void assertTakes(ScalingModel model, SimFabric fabric) {
        assertEquals(model.queuePairs(), fabric.queuePairCount());
        assertEquals(model.messages(), fabric.posts(Opcode.SEND));
        assertEquals(model.controlRegions(), fabric.registrationCount() - 1);
        assertEquals(model.controlByteSize(), fabric.registeredByteSize() - ARENA_BYTE_SIZE);
    }
}
