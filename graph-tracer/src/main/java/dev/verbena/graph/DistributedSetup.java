package dev.verbena.graph;

import java.util.HashMap;
import java.util.Map;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaChannel;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.transfer.TensorReceiver;
import dev.verbena.transfer.TensorSender;

/**
 * Sets one task's session up: partition, plan, one registered arena, receivers, then senders (EuroSys'19 §3.4, "Preallocate data
 * buffers"). Used once.
 */
final class DistributedSetup {
    private static final Logger LOG = LoggerFactory.getLogger(DistributedSetup.class);

    /** How long closing waits for acknowledgements that are still being written from slots. */
    private static final long DRAIN_NS = 1_000_000_000;
    private static final long DRAIN_PAUSE_NS = 100_000;

    private final String task;
    private final Map<String, Endpoint> cluster;
    private final RdmaDevice device;
    private final SessionOptions options;
    private final SessionListener listener;
    private final Partition partition;
    private final TransferPlan plan;
    private final long plannedByteSize;
    private final AllocationTracer tracer;
    private final SessionCounters counters = new SessionCounters();
    private final SessionResources resources = new SessionResources();
    private final Map<String, Integer> sendersByPeer = new HashMap<>();
    private TensorArena registered;
    private TensorSender anySender;

    DistributedSetup(Graph graph, String task, Map<String, Endpoint> cluster, RdmaDevice device,
            SessionOptions options, SessionListener listener) {
        if (device == null) {
            throw new IllegalArgumentException("no device for task=" + task + "; create one with RdmaDevice.create");
        }
        this.task = task;
        this.cluster = cluster;
        this.device = device;
        this.options = options;
        this.listener = listener;
        this.partition = Partition.of(graph, task);
        this.plan = TransferPlan.of(graph, options);
        this.plannedByteSize = plan.plannedByteSize(task);
        this.tracer = new AllocationTracer(options.tracing());
        partition.sends().forEach(send -> checkEndpoint(send.edge().toTask()));
        partition.receives().forEach(receive -> checkEndpoint(receive.edge().fromTask()));
    }

    private void checkEndpoint(String peer) {
        if (!cluster.containsKey(peer)) {
            throw new IllegalArgumentException("task=" + task + " shares edges with task=" + peer
                    + ", which has no endpoint in the cluster=" + cluster.keySet() + "; add it");
        }
    }

    Session create() {
        try {
            TensorArena ordinary = LocalSetup.ordinaryArena();
            resources.add(ordinary::close);
            if (plannedByteSize > 0) {
                // All of it at once and no more: registration is never on the path of a tensor.
                registered = TensorArena.create(device.slabSource(), plannedByteSize, plannedByteSize);
                resources.add(() -> closeDrained(registered, device));
            }
            partition.receives().forEach(this::receive);
            partition.sends().forEach(this::send);
            LOG.debug("task={} plannedByteSize={}\n{}", task, plannedByteSize, plan);
            return session(ordinary);
        } catch (Throwable e) {
            closeAfter(e);
            throw e;
        }
    }

    private void receive(ReceiveOperation receive) {
        CrossingEdge edge = receive.edge();
        TensorReceiver receiver = device.receiver(edge.name(), registered, edge.type().elementType(),
                TransferPlan.shape(edge), options.depth());
        resources.add(receiver::close);
        receive.bind(receiver::poll);
    }

    private void send(SendOperation send) {
        CrossingEdge edge = send.edge();
        // Neighbouring edges on different queue pairs, so that a small tensor need not queue behind a large one.
        int queuePairIndex = (sendersByPeer.merge(edge.toTask(), 1, Integer::sum) - 1) % device.queuePairsPerPeer();
        TensorSender sender = connect(edge, queuePairIndex);
        resources.add(sender::close);
        send.bind(new DeviceOutgoingEdge(sender, registered), tracer, counters);
        anySender = sender;
    }

    private TensorSender connect(CrossingEdge edge, int queuePairIndex) {
        Endpoint peer = cluster.get(edge.toTask());
        try {
            listener.onPeerAwaited(edge.toTask(), peer, RdmaDevice.CONNECT_TIMEOUT);
            RdmaChannel channel = device.channel(peer, queuePairIndex);
            listener.onPeerAwaited(edge.toTask(), peer, options.timeout());
            return channel.sender(edge.name(), edge.type().elementType(), TransferPlan.shape(edge), options.timeout());
        } finally {
            listener.onPeerAnswered();
        }
    }

    private Session session(TensorArena ordinary) {
        SessionMemory memory = anySender == null
                ? SessionMemory.ordinaryOnly(tracer, ordinary::allocate)
                : new SessionMemory(tracer, ordinary::allocate, registered::tryAllocate, anySender::isRegistered);
        Executor executor = new Executor("task=" + task, partition.placed().size(), new DeviceActivity(device),
                options.timeout().toNanos(), System::nanoTime, listener);
        device.onPeerLost(executor::peerLost);
        return new GraphSession(partition, memory, counters, executor, resources, plan.crossingByteSize(task),
                plannedByteSize);
    }

    private static void closeDrained(TensorArena arena, RdmaDevice device) {
        long deadlineNs = System.nanoTime() + DRAIN_NS;
        while (arena.statistics().liveCount() > 0 && System.nanoTime() < deadlineNs) {
            device.awaitActivity(device.activity(), DRAIN_PAUSE_NS);
        }
        arena.close();
    }

    private void closeAfter(Throwable failure) {
        try {
            resources.close(false);
        } catch (RuntimeException e) {
            failure.addSuppressed(e);
        }
    }
}
