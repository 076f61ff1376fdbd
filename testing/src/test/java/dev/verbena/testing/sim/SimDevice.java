package dev.verbena.testing.sim;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.testing.program.Host;
import dev.verbena.transfer.ArrivalMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.Progress;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.RdmaDeviceOptions;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A device of {@link DeviceProgram}, and how it fares.
 *
 * <p><b>Owner:</b> the program. <b>Threading:</b> one thread.
 */
final class SimDevice {
    private static final int FIRST_PORT = 4_000;
    private static final long ARENA_BYTE_SIZE = 1 << 20;

    private final DeviceProgram program;
    private final int number;
    private final SimFabric fabric;
    private final List<TensorStream> streams = new ArrayList<>();
    private final Map<String, Integer> connections = new HashMap<>();
    /** Null before it has begun, and if it could not be made. */
    private Host host;
    private boolean hasBegun;
    private boolean isAborted;
    private boolean isClosed;

    SimDevice(DeviceProgram program, Simulation simulation, int number) {
        this.program = program;
        this.number = number;
        fabric = simulation.openFabric();
    }

    /** Makes the device: its peers may have looked for it before. */
    void begin() {
        hasBegun = true;
        try {
            host = new Host(program, number, RdmaDevice.create(options(), counted()), ARENA_BYTE_SIZE);
        } catch (IllegalStateException | OutOfArenaMemoryException e) {
            if (fabric.isAlive() && program.isMemorySure()) {
                throw e;
            }
            isClosed = true;
        }
    }

    private RdmaDeviceOptions options() {
        Striping striping = striping(program.random());
        program.tally(striping.queuePairs() > 1 ? "striping devices" : "devices without stripes");
        return RdmaDeviceOptions.defaults().withName("d" + number).withLocalEndpoint(endpoint())
                .withProgress(Progress.callers().withSpins(4)).withQueueDepth(4)
                .withQueuePairsPerPeer(2 + program.random().nextInt(3)).withStriping(striping)
                .withArrivalMode(number == 1 ? ArrivalMode.IMMEDIATE : ArrivalMode.AUTO);
    }

    /** Over one queue pair to four, in stripes so short that small tensors have several. */
    static Striping striping(Random random) {
        return Striping.over(1 + random.nextInt(4))
                .withStripeByteSizeMin(Striping.STRIPE_BYTE_SIZE_LEAST << random.nextInt(4));
    }

    /** The fabric, with its connections counted. */
    private Fabric counted() {
        return (Fabric) Proxy.newProxyInstance(Fabric.class.getClassLoader(), new Class<?>[]{Fabric.class},
                (proxy, method, arguments) -> {
                    if (method.getName().equals("listen")) {
                        arguments[2] = counting((ConnectionHandler) arguments[2]);
                    }
                    if (method.getName().equals("connect")) {
                        arguments[3] = counting((ConnectHandler) arguments[3]);
                    }
                    try {
                        return method.invoke(fabric, arguments);
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

    private ConnectHandler counting(ConnectHandler told) {
        return new ConnectHandler() {
            @Override
            public void onConnected(Connection connection) {
                connections.merge(connection.peerName(), 1, Integer::sum);
                told.onConnected(connection);
            }

            @Override
            public void onFailed(TransferException cause) {
                told.onFailed(cause);
            }
        };
    }

    // ---- how it fares ----

    boolean hasBegun() {
        return hasBegun;
    }

    /** Whether it does nothing any more: killed, or closed. */
    boolean isGone() {
        return isClosed || isDead();
    }

    boolean isDead() {
        return !fabric.isAlive();
    }

    /** Whether it has no connections any more, and will have none. */
    boolean hasEnded() {
        return isGone() || isAborted;
    }

    boolean isStill() {
        return fabric.process().isStill();
    }

    /** Whether it may look for the other one, which may not have begun. */
    boolean mayLookFor(SimDevice other) {
        return other != this && hasBegun && !hasEnded() && !other.hasEnded();
    }

    boolean canReach(SimDevice other) {
        return mayLookFor(other) && other.hasBegun;
    }

    // ---- what it does ----

    void progress() {
        host.device().progress();
    }

    Host host() {
        return host;
    }

    int number() {
        return number;
    }

    Endpoint endpoint() {
        return new Endpoint("localhost", FIRST_PORT + number);
    }

    void adopt(TensorStream stream) {
        streams.add(stream);
    }

    void abort() {
        isAborted = true;
        host.device().abort("enough");
    }

    /** In order, where there is somebody to do it; a process that was killed just leaves. */
    void close() {
        if (isClosed || !hasBegun) {
            return;
        }
        boolean wasAlive = fabric.isAlive();
        if (wasAlive) {
            streams.forEach(stream -> stream.leave(this));
        }
        if (wasAlive && fabric.isAlive()) {
            host.closeMemory();
        }
        isClosed = true;
        host.device().close();
    }

    /** After its end. */
    void checkEnd() {
        if (host == null) {
            return;
        }
        for (String name : connections.keySet()) {
            long told = host.losses().stream().filter(loss -> loss.contains("peer " + name)).count();
            if (told > connections.get(name)) {
                program.violate(this + " was told losses=" + told + " of " + name + " but had connections="
                        + connections.get(name) + ": " + host.losses());
            }
        }
        host.checkCopies();
        if (fabric.postsAfterFailure() > 0) {
            program.violate(this + " posted after a failure, times=" + fabric.postsAfterFailure());
        }
    }

    int lossCount() {
        return host == null ? 0 : host.losses().size();
    }

    @Override
    public String toString() {
        return "d" + number;
    }
}
