package dev.verbena.testing.sim;

import static java.lang.foreign.ValueLayout.JAVA_LONG;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Connection;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePair;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * A process of {@link Traffic}.
 *
 * <pre>
 *   its region   [counter][area of each flow, which the peer writes][slots of each flow]
 * </pre>
 */
final class TrafficSide implements ConnectionHandler {
    static final int FLOW_COUNT_MAX = 32;
    /** Receives, requests, as many that nobody has heard of, and a list that is not posted. */
    static final int SLOT_COUNT = 3 * Flow.DEPTH + 4;
    static final long COUNTER_OFFSET = 0;
    private static final long AREAS_OFFSET = 64;
    private static final long SLOTS_OFFSET = AREAS_OFFSET + FLOW_COUNT_MAX * Flow.BYTE_SIZE;
    private static final long RECEIVER_NOT_READY_NS = 500_000;

    final Traffic traffic;
    final SimFabric fabric;
    final MemoryRegion region;
    final Endpoint endpoint;
    final Map<QueuePair, Flow> flows = new LinkedHashMap<>();
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final Set<Connection> lost = new HashSet<>();
    private final Set<Connection> left = new HashSet<>();
    private final Set<Long> fetched = new HashSet<>();
    private boolean isClosed;

    TrafficSide(Traffic traffic, int number) {
        this.traffic = traffic;
        fabric = traffic.simulation.openFabric();
        region = register();
        queues.add(fabric.createCompletionQueue(16));
        queues.add(fabric.createCompletionQueue(16));
        endpoint = fabric.listen(new Endpoint("localhost", 0), "side-" + number, this);
    }

    static long areaOffset(int flow) {
        return AREAS_OFFSET + (long) flow * Flow.BYTE_SIZE;
    }

    static long slotOffset(int flow, int slot) {
        return SLOTS_OFFSET + ((long) flow * SLOT_COUNT + slot) * Flow.BYTE_SIZE;
    }

    private MemoryRegion register() {
        while (true) {
            try {
                return fabric.register(slotOffset(FLOW_COUNT_MAX, 0), EnumSet.allOf(AccessRight.class));
            } catch (OutOfArenaMemoryException e) {
                traffic.check(e.getMessage().contains("need "), e.getMessage());
            }
        }
    }

    List<CompletionQueue> queues() {
        return queues;
    }

    boolean isAlive() {
        return !isClosed && fabric.isAlive();
    }

    List<QueuePairOptions> options(int count) {
        List<QueuePairOptions> list = new ArrayList<>();
        for (int i = 0; i < count; i++) {
            list.add(new QueuePairOptions(queues.get(i % queues.size()), Flow.DEPTH, Flow.DEPTH,
                    RECEIVER_NOT_READY_NS));
        }
        return list;
    }

    void poll(int countMax) {
        for (CompletionQueue queue : queues) {
            int[] delivered = {0};
            int count = queue.poll(done -> {
                delivered[0]++;
                flows.get(done.queuePair).onCompletion(done);
            }, countMax);
            traffic.check(count <= countMax && count == delivered[0], "poll said " + count + " of " + countMax
                    + " and delivered " + delivered[0]);
        }
    }

    void sleep(long ns) {
        queues.getFirst().await(ns);
    }

    // ---- connections ----

    @Override
    public List<QueuePairOptions> onRequest(String peerName, int queuePairCount) {
        if (traffic.isRefused()) {
            throw new IllegalStateException("not now");
        }
        return options(queuePairCount);
    }

    @Override
    public void onAccepted(Connection connection) {
        adopt(connection);
    }

    void adopt(Connection made) {
        SimConnection connection = (SimConnection) made;
        traffic.know(connection, this);
        for (int i = 0; i < connection.queuePairs().size(); i++) {
            SimQueuePair queuePair = connection.queuePair(i);
            flows.put(queuePair, new Flow(this, connection, queuePair, traffic.nextIndex()));
        }
    }

    @Override
    public void onLost(Connection connection, boolean orderly, String cause) {
        traffic.check(lost.add(connection), "lost twice: " + connection);
        traffic.check(!left.contains(connection), "lost although this side closed it: " + connection);
        traffic.check(cause.equals(connection.lostCause()), "causes differ");
    }

    void leave(SimConnection connection, boolean orderly) {
        left.add(connection);
        flows.values().stream().filter(flow -> flow.connection == connection).forEach(Flow::close);
        if (orderly) {
            connection.close();
        } else {
            connection.abort("no reason");
        }
    }

    void leaveAll(boolean orderly) {
        flows.values().forEach(flow -> left.add(flow.connection));
        flows.values().forEach(Flow::close);
        if (orderly) {
            isClosed = true;
            fabric.close();
        } else {
            fabric.abort("no reason for all");
        }
    }

    /** Each loss has been told of. */
    void checkLosses() {
        for (Flow flow : flows.values()) {
            boolean isLost = flow.connection.lostCause() != null && !left.contains(flow.connection);
            traffic.check(!isLost || lost.contains(flow.connection), "nobody was told of the loss of " + flow);
        }
    }

    // ---- the counter that all increment ----

    void onFetched(long old) {
        traffic.check(fetched.add(old), "two increments found " + old);
    }

    void check() {
        if (isAlive()) {
            flows.values().forEach(Flow::checkArea);
            long counter = region.memory().get(JAVA_LONG, COUNTER_OFFSET);
            traffic.check(counter >= fetched.size(), "counter=" + counter + " after increments=" + fetched.size());
        }
    }
}
