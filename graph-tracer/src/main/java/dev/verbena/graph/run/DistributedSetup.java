package dev.verbena.graph.run;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.plan.TransferPlan.Protocol;
import dev.verbena.graph.run.edge.CarriedIncomingEdge;
import dev.verbena.graph.run.edge.CarriedOutgoingEdge;
import dev.verbena.graph.run.edge.DeviceOutgoingEdge;
import dev.verbena.graph.run.edge.IncomingEdge;
import dev.verbena.graph.run.edge.IncomingNotices;
import dev.verbena.graph.run.edge.OutgoingEdge;
import dev.verbena.graph.run.edge.OutgoingNotices;
import dev.verbena.graph.run.edge.PeerNotices;
import dev.verbena.graph.run.edge.ReceiveKernel;
import dev.verbena.graph.run.edge.RunNotice;
import dev.verbena.graph.run.edge.SendKernel;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.Activity;
import dev.verbena.graph.run.execution.DeviceActivity;
import dev.verbena.graph.run.execution.Executor;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.DynamicTensorReceiver;
import dev.verbena.transfer.DynamicTensorSender;
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
    /** After that share of the timeout who waits tells its peers what it runs: far later than a run that goes well, far sooner than they give up. */
    private static final long TELLING_SHARE = 64;

    private final String task;
    private final Map<String, Endpoint> cluster;
    private final RdmaDevice device;
    private final SessionOptions options;
    private final SessionListener listener;
    private final Partition partition;
    private final TransferPlan plan;
    private final long plannedByteSize;
    private final boolean isDynamic;
    /** What both ends of an edge must have been made for. */
    private final String agreement;
    private final SessionTracer tracer;
    private final SessionCounters counters = new SessionCounters();
    private final SessionResources resources = new SessionResources();
    private final Map<String, Integer> sendersByPeer = new HashMap<>();
    private final Map<CrossingEdge, Kernel> ends = new HashMap<>();
    private final Set<CrossingEdge> lent = new HashSet<>();
    /** By the peer that tells. */
    private final Map<String, IncomingNotices> heard = new LinkedHashMap<>();
    /** By the peer that is told. */
    private final Map<String, OutgoingNotices> told = new LinkedHashMap<>();
    private final Activity activity;
    private TensorArena ordinary;
    private TensorArena registered;
    private TensorArena spare;
    /** Null if nothing is received. */
    private SlotBlock slots;
    private OutgoingEdge anySender;
    /** Of all edges that say that a node has run; null until there is one. */
    private Tensor signal;

    DistributedSetup(Graph graph, String task, Map<String, Endpoint> cluster, RdmaDevice device,
            SessionOptions options, SessionListener listener) {
        if (device == null) {
            throw new IllegalArgumentException("no device for task=" + task + "; create one with RdmaDevice.create");
        }
        this.task = task;
        this.cluster = cluster;
        this.device = device;
        this.options = options;
        this.activity = new DeviceActivity(device);
        this.listener = listener;
        this.partition = Partition.of(graph, task);
        this.plan = options.plan(graph, device.capabilities().mapsPeerMemory());
        plan.transfers().stream().filter(transfer -> transfer.protocol() == Protocol.LOAN)
                .forEach(transfer -> lent.add(transfer.edge()));
        this.plannedByteSize = plan.plannedByteSize(task);
        this.agreement = "plan " + plan.fingerprint() + " of depth=" + options.depth();
        this.isDynamic = plan.isDynamic(task);
        this.tracer = new SessionTracer(options.tracing(), options.trace());
        partition.sends().forEach(edge -> checkEndpoint(edge.toTask()));
        partition.receives().forEach(edge -> checkEndpoint(edge.fromTask()));
    }

    private void checkEndpoint(String peer) {
        if (!cluster.containsKey(peer)) {
            throw new IllegalArgumentException("task=" + task + " shares edges with task=" + peer
                    + ", which has no endpoint in the cluster=" + cluster.keySet() + "; add it");
        }
    }

    Session create() {
        try {
            ordinary = LocalSetup.ordinaryArena();
            resources.add(ordinary::close);
            if (isDynamic || plannedByteSize > 0) {
                // All that is known before, at once: registration is never on the path of a tensor of known shape.
                boolean isRead = isDynamic || plan.lends(task);
                SlabSource source = isRead ? device.readableSlabSource() : device.slabSource();
                long max = plannedByteSize + (isDynamic ? options.dynamicByteSizeMax() : 0);
                registered = TensorArena.create(source, plannedByteSize, max);
                resources.add(() -> closeDrained(registered, device));
                spare = TensorArena.create(source, 0, max);
                resources.add(() -> closeDrained(spare, device));
            }
            long slotByteSize = plan.slotByteSize(task);
            if (slotByteSize > 0) {
                slots = new SlotBlock(registered, slotByteSize);
                resources.add(slots::close);
            }
            partition.receives().forEach(this::receive);
            partition.sends().forEach(this::send);
            LOG.debug("task={} plannedByteSize={} crossingPeakByteSize={}\n{}", task, plannedByteSize,
                    plan.crossingPeakByteSize(task), plan);
            return session();
        } catch (Throwable e) {
            closeAfter(e);
            throw e;
        }
    }

    private void receive(CrossingEdge edge) {
        IncomingNotices.Heard end = heard.computeIfAbsent(edge.fromTask(), this::hear)
                .after(incoming(edge));
        resources.add(end::close);
        ends.put(edge, new ReceiveKernel(edge, end, lent.contains(edge)));
    }

    private IncomingNotices hear(String peer) {
        TensorReceiver receiver = receiver(noticeName(peer, task), RunNotice.TYPE, RunNotice.SHAPE,
                TransferPlan.noticeSlots(options.depth()));
        return new IncomingNotices(task, peer, receiver);
    }

    private OutgoingNotices tell(String peer) {
        Tensor memory = registered.allocate(RunNotice.TYPE, RunNotice.SHAPE);
        resources.add(memory::close);
        TensorSender sender = awaiting(peer, channel -> channel.sender(noticeName(task, peer), RunNotice.TYPE,
                RunNotice.SHAPE, agreement, options.timeout()), 0);
        resources.add(sender::close);
        return new OutgoingNotices(peer, activity, sender, memory);
    }

    /** Of no crossing edge, whose output has a number. */
    private String noticeName(String from, String to) {
        return named("runs:" + from + "->" + to);
    }

    /** What both ends call an edge of this session. */
    private String nameOf(CrossingEdge edge) {
        return named(edge.name());
    }

    private String named(String what) {
        return options.name().isEmpty() ? what : options.name() + "/" + what;
    }

    private IncomingEdge incoming(CrossingEdge edge) {
        if (options.carrier() != null) {
            return new CarriedIncomingEdge(
                    options.carrier().incoming(nameOf(edge), cluster.get(edge.fromTask()), activity::wakeUp),
                    ordinary::allocate);
        }
        if (lent.contains(edge)) {
            return borrowed(edge);
        }
        return edge.isStatic() ? placed(edge) : allocated(edge);
    }

    private IncomingEdge borrowed(CrossingEdge edge) {
        DynamicTensorReceiver receiver = device.borrowingReceiver(nameOf(edge), registered, options.depth(), agreement);
        resources.add(receiver::close);
        return receiver::poll;
    }

    private IncomingEdge placed(CrossingEdge edge) {
        return receiver(nameOf(edge), edge.type().elementType(), TransferPlan.shape(edge), options.depth())::poll;
    }

    private TensorReceiver receiver(String name, ElementType type, Shape shape, int depth) {
        TensorReceiver receiver = device.receiver(name,
                slots.take(RdmaDevice.receiverBufferByteSize(type, shape, depth)), type,
                shape, depth, agreement);
        resources.add(receiver::close);
        return receiver;
    }

    private IncomingEdge allocated(CrossingEdge edge) {
        DynamicTensorReceiver receiver = device.dynamicReceiver(nameOf(edge), registered, options.depth(), agreement);
        resources.add(receiver::close);
        return new IncomingEdge() {
            @Override
            public Tensor poll() {
                return receiver.poll();
            }

            @Override
            public boolean pollDead() {
                return edge.mayBeDead() && receiver.pollDead();
            }

            @Override
            public boolean lacksRoom() {
                return receiver.isOutOfMemory();
            }
        };
    }

    private void send(CrossingEdge edge) {
        // Neighbouring edges on different queue pairs, so that a small tensor need not queue behind a large one.
        int queuePairIndex = (sendersByPeer.merge(edge.toTask(), 1, Integer::sum) - 1) % device.queuePairsPerPeer();
        OutgoingEdge sender = connect(edge, queuePairIndex);
        ends.put(edge,
                new SendKernel(edge, told.computeIfAbsent(edge.toTask(), this::tell)
                        .before(sender), tracer, counters, edge.isControl() ? signal(edge) : null));
        // Who sends tensors of unknown shape, or lends, has memory that they can be read from, and asks for no less.
        if (anySender == null || !edge.isStatic() || lent.contains(edge)) {
            anySender = sender;
        }
    }

    private Tensor signal(CrossingEdge edge) {
        if (signal == null) {
            signal = registered.allocate(edge.type().elementType(), TransferPlan.shape(edge));
            resources.add(signal::close);
        }
        return signal;
    }

    private OutgoingEdge connect(CrossingEdge edge, int queuePairIndex) {
        if (options.carrier() != null) {
            return new CarriedOutgoingEdge(options.carrier().outgoing(nameOf(edge), activity::wakeUp));
        }
        return awaiting(edge.toTask(), channel -> {
            if (lent.contains(edge)) {
                DynamicTensorSender sender = channel.lendingSender(nameOf(edge), agreement, options.timeout());
                resources.add(sender::close);
                return DeviceOutgoingEdge.of(sender);
            }
            if (!edge.isStatic()) {
                DynamicTensorSender sender = channel.dynamicSender(nameOf(edge), agreement, options.timeout());
                resources.add(sender::close);
                return DeviceOutgoingEdge.of(sender);
            }
            TensorSender sender = channel.sender(nameOf(edge), edge.type().elementType(), TransferPlan.shape(edge),
                    agreement, options.timeout());
            resources.add(sender::close);
            return DeviceOutgoingEdge.of(sender);
        }, queuePairIndex);
    }

    /** The listener hears of both waits. */
    private <T> T awaiting(String peer, Function<RdmaChannel, T> wanted, int queuePairIndex) {
        Endpoint endpoint = cluster.get(peer);
        try {
            listener.onPeerAwaited(peer, endpoint, RdmaDevice.CONNECT_TIMEOUT);
            RdmaChannel channel = device.channel(endpoint, queuePairIndex);
            listener.onPeerAwaited(peer, endpoint, options.timeout());
            return wanted.apply(channel);
        } finally {
            listener.onPeerAnswered();
        }
    }

    private Session session() {
        SessionMemory memory = anySender == null || options.carrier() != null
                ? SessionMemory.ordinaryOnly(tracer, ordinary::allocate)
                : new SessionMemory(tracer, ordinary::allocate, registered::tryAllocate, spare::tryAllocate,
                        anySender::isRegistered);
        List<PeerNotices> notices = new ArrayList<>(heard.values());
        notices.addAll(told.values());
        Executor executor = new Executor("task=" + task, partition.placed().size(), activity,
                options.timeout().toNanos(), System::nanoTime, whoWaitsTells());
        return new GraphSession(partition, NodeKernels.of(partition, options.kernels(), ends), memory, counters,
                executor, resources, notices, plan.crossingByteSize(task),
                plannedByteSize);
    }

    /** Its peers, of the present run. */
    private SessionListener whoWaitsTells() {
        long tellingNs = options.timeout().toNanos() / TELLING_SHARE;
        return new SessionListener() {
            @Override
            public void onIdle(long idleNs, long leftNs, Supplier<String> waitingFor) {
                if (idleNs >= tellingNs) {
                    told.values().forEach(PeerNotices::onWaiting);
                }
                listener.onIdle(idleNs, leftNs, waitingFor);
            }
        };
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
