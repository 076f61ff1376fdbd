package dev.verbena.testing.sim;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.function.Consumer;

import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Completion;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.CompletionStatus;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.transfer.spi.WorkRequest;

/** A process of a simulation: it listens, has one completion queue and one region, and keeps what it is told. */
class SimSide implements ConnectionHandler {
    static final int REGION_BYTE_SIZE = 4096;
    static final long PATIENCE_NS = 20_000_000_000L;

    /** A completion, kept. */
    record Done(long id, CompletionStatus status, Opcode opcode, QueuePair queuePair, int immediate) {
        static Done of(Completion completion) {
            return new Done(completion.workRequestId, completion.status, completion.opcode, completion.queuePair,
                    completion.immediate);
        }
    }

    final SimFabric fabric;
    final CompletionQueue queue;
    final MemoryRegion region;
    final Deque<Done> completions = new ArrayDeque<>();
    final List<Connection> accepted = new ArrayList<>();
    final List<String> lost = new ArrayList<>();
    Consumer<Connection> whenAccepted = accepted::add;
    Endpoint endpoint;
    Connection connection;

    SimSide(Simulation simulation, String name) {
        this(simulation, name, 0);
    }

    SimSide(Simulation simulation, String name, int port) {
        fabric = simulation.openFabric();
        queue = fabric.createCompletionQueue(64);
        region = fabric.register(REGION_BYTE_SIZE, EnumSet.allOf(AccessRight.class));
        endpoint = fabric.listen(new Endpoint("localhost", port), name, this);
    }

    /** Connects to the other one, which has accepted when this returns. */
    void connect(Simulation simulation, SimSide other) {
        connection = fabric.connect(other.endpoint, options(PATIENCE_NS), PATIENCE_NS);
        simulation.runUntil(() -> !other.accepted.isEmpty(), PATIENCE_NS);
        other.connection = other.accepted.getLast();
    }

    List<QueuePairOptions> options(long receiverNotReadyTimeoutNs) {
        return List.of(new QueuePairOptions(queue, 16, 16, receiverNotReadyTimeoutNs));
    }

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        return options(PATIENCE_NS);
    }

    @Override
    public void onAccepted(Connection connection) {
        whenAccepted.accept(connection);
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        lost.add(cause);
    }

    QueuePair queuePair() {
        return connection.queuePairs().getFirst();
    }

    int poll() {
        return queue.poll(completion -> completions.add(Done.of(completion)), 16);
    }

    /** Sleeps until there is a completion, and takes it. */
    Done next() {
        while (completions.isEmpty()) {
            queue.await(PATIENCE_NS);
            poll();
        }
        return completions.remove();
    }

    boolean postReceive(long id) {
        return queuePair().postReceive(id, region, 0, 64);
    }

    WorkRequest write(long id, long offset, long byteSize, SimSide other, long remoteOffset) {
        return request(id, Opcode.WRITE, offset, byteSize, other, remoteOffset);
    }

    WorkRequest request(long id, Opcode opcode, long offset, long byteSize, SimSide other, long remoteOffset) {
        return new WorkRequest(1).reset(id, opcode).element(region, offset, byteSize)
                .remote(other.region.address() + remoteOffset, other.region.rkey());
    }
}
