package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.RemoteRegion;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A device of {@link DeviceProgram}, what it has, and what it was told.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> one thread.
 */
final class SimDevice {
    private static final int AREA_BYTE_SIZE = 4_096;
    private static final int AREAS = 8;

    private final DeviceProgram program;
    private final int number;
    private final SimFabric fabric;
    private final List<TensorStream> streams = new ArrayList<>();
    private final Map<String, Integer> connections = new HashMap<>();
    private final List<String> losses = new ArrayList<>();
    private final int[] copies = new int[AREAS];
    /** Null if it could not be made. */
    private RdmaDevice device;
    private TensorArena arena;
    private MemoryRegion region;
    private boolean isAborted;
    private boolean isClosed;

    SimDevice(DeviceProgram program, Simulation simulation, int number) {
        this.program = program;
        this.number = number;
        fabric = simulation.openFabric();
        try {
            device = RdmaDevice.create(options(), counted());
            region = device.allocateRegion(2L * AREAS * AREA_BYTE_SIZE);
            arena = TensorArena.create(device.slabSource(), 1 << 17, 1 << 20);
            device.handle("reverse", (peer, request) -> reversed(request));
            device.handle("refuse", (peer, request) -> {
                throw new TransferException("not today");
            });
            device.onPeerLost(losses::add);
        } catch (IllegalStateException | OutOfArenaMemoryException e) {
            if (fabric.isAlive() && program.isMemorySure()) {
                throw e;
            }
            isClosed = true;
            if (region != null) {
                region.close();
            }
            if (device != null) {
                device.close();
            }
        }
    }

    private RdmaDeviceOptions options() {
        return RdmaDeviceOptions.defaults().withName("d" + number).withProgress(Progress.callers().withSpins(4))
                .withQueueDepth(4).withArrivalMode(number == 1 ? ArrivalMode.IMMEDIATE : ArrivalMode.AUTO);
    }

    /** The fabric, with its connections counted. */
    private Fabric counted() {
        return (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(), new Class<?>[]{Fabric.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("listen")) {
                        arguments[2] = counting((ConnectionHandler) arguments[2]);
                    }
                    try {
                        Object result = method.invoke(fabric, arguments);
                        if (result instanceof Connection connection) {
                            connections.merge(connection.peerName(), 1, Integer::sum);
                        }
                        return result;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                });
    }

    private ConnectionHandler counting(ConnectionHandler told) {
        return new ConnectionHandler() {
            @Override
            public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
                return told.onRequest(peerName, queuePairCount);
            }

            @Override
            public void onAccepted(Connection connection) {
                connections.merge(connection.peerName(), 1, Integer::sum);
                told.onAccepted(connection);
            }

            @Override
            public void onLost(Connection connection, boolean orderly, String cause) {
                told.onLost(connection, orderly, cause);
            }
        };
    }

    // ---- how it fares ----

    /** Whether it does nothing any more: killed, or closed. */
    boolean isGone() {
        return isClosed || !fabric.isAlive();
    }

    /** Whether it has no connections any more, and will have none. */
    boolean hasEnded() {
        return isGone() || isAborted;
    }

    boolean isStill() {
        return fabric.process().isStill();
    }

    boolean canReach(SimDevice other) {
        return other != this && !hasEnded() && !other.hasEnded();
    }

    boolean isCopying(SimDevice to) {
        return copies[to.number] > 0;
    }

    /** One more copy to it is under way, or one less. */
    void onCopy(SimDevice to, int count) {
        copies[to.number] += count;
    }

    // ---- what it does ----

    void progress() {
        device.progress();
    }

    RdmaDevice device() {
        return device;
    }

    TensorArena arena() {
        return arena;
    }

    RdmaChannel channel(SimDevice to, int queuePairIndex) {
        return device.channel(to.device.endpoint(), queuePairIndex);
    }

    byte[] call(SimDevice to, String method, byte[] request) {
        return device.call(to.device.endpoint(), method, request, DeviceProgram.TIMEOUT);
    }

    static byte[] reversed(byte[] bytes) {
        byte[] reversed = new byte[bytes.length];
        for (int i = 0; i < bytes.length; i++) {
            reversed[i] = bytes[bytes.length - 1 - i];
        }
        return reversed;
    }

    void adopt(TensorStream stream) {
        streams.add(stream);
    }

    void abort() {
        isAborted = true;
        device.abort("enough");
    }

    /** In order, where there is somebody to do it; a process that was killed just leaves. */
    void close() {
        if (isClosed) {
            return;
        }
        boolean wasAlive = fabric.isAlive();
        if (wasAlive) {
            streams.forEach(stream -> stream.leave(this));
        }
        if (wasAlive && fabric.isAlive()) {
            if (arena.statistics().liveCount() > 0) {
                program.violate(this + " still has " + arena.liveReport());
            }
            arena.close();
            region.close();
        }
        isClosed = true;
        device.close();
    }

    /** After its end. */
    void checkLosses() {
        for (String name : connections.keySet()) {
            long told = losses.stream().filter(loss -> loss.contains("peer " + name)).count();
            if (told > connections.get(name)) {
                program.violate(this + " was told losses=" + told + " of " + name + " but had connections="
                        + connections.get(name) + ": " + losses);
            }
        }
        for (int i = 0; i < AREAS; i++) {
            if (copies[i] != 0) {
                program.violate(this + " has copies=" + copies[i] + " that have not ended, to d" + i);
            }
        }
    }

    // ---- its region: an area to copy from and one to land in, for each peer ----

    MemoryRegion region() {
        return region;
    }

    long offset(SimDevice to) {
        return (long) to.number * AREA_BYTE_SIZE;
    }

    private long landingOffset(SimDevice from) {
        return (long) (AREAS + from.number) * AREA_BYTE_SIZE;
    }

    RemoteRegion landing(SimDevice from) {
        return new RemoteRegion(region.address() + landingOffset(from), AREA_BYTE_SIZE, region.rkey());
    }

    void fill(SimDevice to, int seed) {
        for (int i = 0; i < DeviceProgram.COPY_BYTE_SIZE; i++) {
            region.memory().set(JAVA_BYTE, offset(to) + i, content(seed, i));
        }
    }

    boolean holds(SimDevice to, int seed) {
        return has(offset(to), seed);
    }

    boolean hasLanded(SimDevice from, int seed) {
        return has(landingOffset(from), seed);
    }

    private boolean has(long offset, int seed) {
        for (int i = 0; i < DeviceProgram.COPY_BYTE_SIZE; i++) {
            if (region.memory().get(JAVA_BYTE, offset + i) != content(seed, i)) {
                return false;
            }
        }
        return true;
    }

    private static byte content(int seed, int index) {
        return (byte) (seed * 31 + index * 7);
    }

    @Override
    public String toString() {
        return "d" + number;
    }
}
