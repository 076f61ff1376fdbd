package dev.verbena.testing.scaling;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongSupplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.memory.ArenaStatistics.HeapUsage;
import dev.verbena.memory.ArenaStatistics;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.sim.FaultPlan;
import dev.verbena.testing.sim.Simulation;
import dev.verbena.transfer.Admission;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;

/** What {@link ScalingModel} reckons with is what the library does: read from it, or measured by making connections and groups. */
class ScalingConstantsTest {
    private static final int CONNECTIONS = 6;
    private static final long PATIENCE_NS = TimeUnit.SECONDS.toNanos(10);
    private static final String ECHO = "echo";
    private static final RdmaDeviceOptions DEFAULTS = RdmaDeviceOptions.defaults(NetworkOptions.defaults());

    private final List<RdmaDevice> devices = new ArrayList<>();

    @AfterEach
    void close() {
        devices.forEach(RdmaDevice::close);
    }

    @Test
    void constantsAreTheLibrarys() {
        assertEquals(DEFAULTS.queueDepth(), ScalingModel.QUEUE_DEPTH);
        assertEquals(DEFAULTS.queuePairsPerPeer(), ScalingModel.QUEUE_PAIRS_PER_PEER);
        assertEquals(LibraryConstant.of("protocol.RpcEndpoint", "RECEIVES_MAX"), ScalingModel.RPC_RECEIVES);
        assertEquals(LibraryConstant.of("protocol.ControlMemory", "BYTE_SIZE_MAX"), ScalingModel.CONTROL_BYTE_SIZE_MAX);
        // Place 0 stands for all.
        assertEquals(LibraryConstant.of("fabric.shm.Doorbell", "PLACE_COUNT") - 1,
                ScalingModel.QUEUE_PAIRS_PER_SHM_QUEUE);
        assertEquals(Admission.defaults().peersMax(), ScalingModel.ACCEPTED_MAX);
    }

    /** Both ends are in this process. */
    @ParameterizedTest
    @CsvSource({"1024, 2", "1024, 3", "64, 2"})
    void aConnectionOverShmTakesWhatTheModelSays(int queueDepth, int queuePairsPerPeer) {
        ScalingModel model = new ScalingModel(2 * CONNECTIONS, 0, 0, 1, queuePairsPerPeer, queueDepth);
        RdmaDeviceOptions options = DEFAULTS.withFabric("shm").withQueueDepth(queueDepth)
                .withQueuePairsPerPeer(queuePairsPerPeer);
        RdmaDevice hub = device(options.withName("hub"));
        hub.handle(ECHO, (_, request) -> request);
        List<RdmaDevice> peers = IntStream.range(0, CONNECTIONS).mapToObj(i -> device(options.withName("peer " + i)))
                .toList();
        long links = OpenFiles.nameless(model.linkByteSize());
        long sockets = OpenFiles.sockets();
        long folders = OpenFiles.folders();
        peers.forEach(peer -> peer.call(hub.endpoint(), ECHO, new byte[0], Duration.ofSeconds(20)));
        assertComesTo(links + model.connections(), () -> OpenFiles.nameless(model.linkByteSize()));
        assertComesTo(sockets + model.connections(), OpenFiles::sockets);
        assertComesTo(folders + model.connections(), OpenFiles::folders);
        assertEquals(3 * model.connections(), model.descriptorsOfConnectionsOnShm());
    }

    private RdmaDevice device(RdmaDeviceOptions options) {
        RdmaDevice device = RdmaDevice.create(options);
        devices.add(device);
        return device;
    }

    /** Sockets of a handshake close on other threads. */
    private static void assertComesTo(long expected, LongSupplier actual) {
        long startNs = System.nanoTime();
        while (actual.getAsLong() != expected && System.nanoTime() - startNs < PATIENCE_NS) {
            LockSupport.parkNanos(1_000_000);
        }
        assertEquals(expected, actual.getAsLong());
    }

    /** Of whom the others, on hosts of their own, need not be there. */
    @Test
    void slotsOfAMemberAreWhatTheModelSays() {
        int members = 200;
        try (Simulation simulation = new Simulation(1, FaultPlan.NONE);
                RdmaDevice device = RdmaDevice.create(DEFAULTS.withProgress(Progress.callers()),
                        simulation.openFabric());
                TensorArena arena = TensorArena.create(device.slabSource(), 1 << 24, 1 << 24)) {
            List<Endpoint> endpoints = Stream.concat(Stream.of(device.endpoint()),
                    IntStream.range(1, members).mapToObj(i -> new Endpoint("host" + i, 7000))).toList();
            try (var _ = device.group("all", 0, endpoints, arena, GroupOptions.defaults())) {
                assertEquals(ScalingModel.slotsByteSize(members), requestedByteSize(arena.statistics()));
            }
        }
    }

    /** Large blocks are rounded up to pages, of which the slots for chunks leave less than one. */
    private static long requestedByteSize(ArenaStatistics arena) {
        assertEquals(1, arena.largeCount());
        long rounding = arena.largeByteSize() - ScalingModel.CHUNK_SLOTS_BYTE_SIZE;
        assertEquals(0, rounding / 4096);
        return arena.largeByteSize() - rounding
                + arena.heaps().stream().mapToLong(HeapUsage::requestedByteSize).sum();
    }
}
