package dev.verbena.testing.sim;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;

import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.ConnectHandler;
import dev.verbena.transfer.spi.ConnectionHandler;
import dev.verbena.transfer.spi.Edge;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.Importable;
import dev.verbena.transfer.spi.MemoryKind;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.Opcode;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The fabric of one simulated process.
 *
 * <p>Its handler is called while the simulation steps; it may do what it likes, wait for connections too.
 *
 * <p><b>Owner:</b> the simulation. <b>Threading:</b> confined to the simulation's thread.
 */
public final class SimFabric implements Fabric {
    private static final int COMPLETION_QUEUES_MAX = 64;
    private static final int NAME_LENGTH_MAX = 512;
    /** How long devices try to reach each other before they say that it is in vain. */
    private static final long RETRIES_NS = TimeUnit.MICROSECONDS.toNanos(500);

    private final Simulation simulation;
    private final int number;
    private final SimProcess process;
    private final SimMemory memory;
    private final SimEdge edge;
    private final Set<SimConnection> connections = new LinkedHashSet<>();
    private final Set<Handshake> connecting = new LinkedHashSet<>();
    private final Set<SimCompletionQueue> completionQueues = new LinkedHashSet<>();
    /** Regions of peers. */
    private final Set<SimPeerMemory> mapped = new LinkedHashSet<>();
    /** Of connections whose peers may still write. */
    private final Set<Runnable> untold = new LinkedHashSet<>();
    private String localName;
    private Endpoint listening = new Endpoint("localhost", 0);
    /** Null while it does not listen. */
    private ConnectionHandler handler;
    private int queuePairCount;
    private int postsAfterFailure;
    private final Map<Opcode, Long> posts = new EnumMap<>(Opcode.class);
    private boolean isOpen = true;
    private String abortCause;

    SimFabric(Simulation simulation, int number) {
        this.simulation = simulation;
        this.number = number;
        process = new SimProcess(simulation);
        edge = new SimEdge(simulation, this);
        localName = "process " + number;
        memory = new SimMemory(simulation, this, number);
    }

    /** False when the plan has killed it: then all that is left to do is to close it. */
    public boolean isAlive() {
        return process.isAlive();
    }

    @Override
    public String name() {
        return "sim";
    }

    @Override
    public Capabilities capabilities() {
        FaultPlan plan = simulation.plan();
        int elementCountMax = (int) plan.get(Fault.ELEMENT_COUNT_MAX);
        return new Capabilities(plan.get(Fault.RELAXED_ORDER) == 0, plan.get(Fault.SILENT_WRITES) == 0,
                plan.get(Fault.MESSAGE_BYTE_SIZE_MAX), SimMemory.BYTE_SIZE_MAX, RequestRules.DEPTH_MAX, elementCountMax,
                Math.min(elementCountMax, (int) plan.get(Fault.READ_ELEMENT_COUNT_MAX)),
                plan.get(Fault.NO_ATOMICS) == 0, false, plan.get(Fault.NO_PEER_MEMORY) == 0,
                EnumSet.allOf(Importable.class));
    }

    @Override
    public Edge edge() {
        return edge;
    }

    // ---- memory and completion queues ----

    @Override
    public MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        checkOpen();
        return memory.register(byteSize, rights, options);
    }

    @Override
    public MemoryRegion importMemory(ForeignMemory foreign, Set<AccessRight> rights) {
        checkOpen();
        return switch (foreign) {
            case ForeignMemory.Host host -> memory.register(host.segment(), MemoryKind.HOST, rights);
            case ForeignMemory.DmaBuf buffer ->
                memory.register(simulation.deviceMemory(buffer), MemoryKind.DEVICE, rights);
        };
    }

    @Override
    public long registeredByteSize() {
        return memory.registeredByteSize();
    }

    @Override
    public long registrationCount() {
        return memory.registrationCount();
    }

    @Override
    public long registrationNs() {
        return memory.registrationNs();
    }

    @Override
    public CompletionQueue createCompletionQueue(int countMax) {
        if (countMax <= 0) {
            throw new IllegalArgumentException("countMax=" + countMax + " of a completion queue must be positive");
        }
        checkOpen();
        if (completionQueues.size() == COMPLETION_QUEUES_MAX) {
            throw new TransferException("no more than completionQueues=" + COMPLETION_QUEUES_MAX + " per fabric");
        }
        SimCompletionQueue queue = new SimCompletionQueue(simulation, this);
        completionQueues.add(queue);
        return queue;
    }

    void release(SimCompletionQueue queue) {
        completionQueues.remove(queue);
    }

    // ---- connections ----

    @Override
    public Endpoint listen(Endpoint local, String localName, ConnectionHandler handler) {
        checkOpen();
        if (localName.isBlank() || localName.length() > NAME_LENGTH_MAX) {
            throw new IllegalArgumentException("name='" + localName + "' must be 1 to " + NAME_LENGTH_MAX + " long");
        }
        if (this.handler != null) {
            throw new IllegalStateException(this + " listens already at " + listening);
        }
        listening = simulation.network().bind(local, this);
        this.localName = localName;
        this.handler = handler;
        return listening;
    }

    @Override
    public void connect(Endpoint remote, List<QueuePairOptions> queuePairs, long timeoutNs, ConnectHandler handler) {
        checkOpen();
        List<QueuePairOptions> options = List.copyOf(queuePairs);
        RequestRules.check(options, this);
        if (remote.port() == 0) {
            throw new IllegalArgumentException("cannot connect to " + remote + ": give the port it listens on");
        }
        Handshake handshake = new Handshake(simulation, this, remote, options, handler);
        connecting.add(handshake);
        handshake.begin(timeoutNs);
    }

    void forget(Handshake handshake) {
        connecting.remove(handshake);
    }

    private void endConnecting() {
        List.copyOf(connecting).forEach(Handshake::onRefusal);
    }

    void adopt(SimConnection connection) {
        connections.add(connection);
        if (connection.isBroken()) {
            // Who stood still hears only now what was said before.
            sever(connection);
        }
    }

    void forget(SimConnection connection) {
        connections.remove(connection);
    }

    void onLost(SimConnection connection, boolean orderly, String cause) {
        for (int i = simulation.conduct().lossNotices(); i > 0 && handler != null && isOpen; i--) {
            handler.onLost(connection, orderly, cause);
        }
    }

    void adopt(SimPeerMemory memory) {
        mapped.add(memory);
    }

    void forget(SimPeerMemory memory) {
        mapped.remove(memory);
    }

    // ---- what its parts ask ----

    SimMemory memory() {
        return memory;
    }

    int nextQueuePairNumber() {
        return ++queuePairCount;
    }

    void onPost(Opcode opcode) {
        posts.merge(opcode, 1L, Long::sum);
    }

    void onPostAfterFailure() {
        postsAfterFailure++;
    }

    /**
     * How often something was posted to a connection of which its user knew that it had failed, on whichever of its queue pairs. A fabric
     * takes that; users that give up a connection as a whole do not do it.
     */
    public int postsAfterFailure() {
        return postsAfterFailure;
    }

    /** Requests with that opcode that were posted so far, on whichever of its queue pairs. */
    public long posts(Opcode opcode) {
        return posts.getOrDefault(opcode, 0L);
    }

    /** Queue pairs that were made so far, those that are closed included. */
    public int queuePairCount() {
        return queuePairCount;
    }

    /** In the order of opening, from 0. */
    int number() {
        return number;
    }

    SimProcess process() {
        return process;
    }

    String localName() {
        return localName;
    }

    /** Port 0 if it does not listen. */
    Endpoint listening() {
        return listening;
    }

    ConnectionHandler handler() {
        return handler;
    }

    /** Whether it can have further connections. */
    boolean isUsable() {
        return isOpen && isAlive() && abortCause == null;
    }

    /** Why it takes nobody in, and connects to nobody. */
    String refusal() {
        return !isAlive() ? this + " was killed" : abortCause == null ? "it closes"
                : localName + " gives up: " + abortCause;
    }

    boolean mayBeWrittenAfterClosing() {
        return simulation.chance().isSet(Fault.WRITES_OUTLIVE_TARGET);
    }

    /** What runs this once: when it is told to, or when all memory goes. */
    Runnable hearsOnce(Runnable then) {
        untold.add(then);
        return () -> {
            if (untold.remove(then)) {
                then.run();
            }
        };
    }

    void checkThread() {
        simulation.checkThread();
    }

    void checkOpen() {
        checkThread();
        if (!isOpen || !isAlive()) {
            throw new IllegalStateException(
                    this + (isAlive() ? " is closed" : " was killed, as " + simulation + " says"));
        }
    }

    // ---- incidents and ends ----

    void happen(Incident incident) {
        switch (incident.kind()) {
            case PAUSE -> pause(incident.lengthNs());
            case KILL -> die();
            case CUT -> cut(incident.lengthNs());
            case JUMP -> throw new IllegalArgumentException(incident + " happens to no process");
        }
    }

    private void pause(long lengthNs) {
        process.pause(lengthNs);
        long timeoutNs = simulation.plan().get(Fault.PEER_TIMEOUT_NS);
        if (timeoutNs > 0) {
            simulation.schedule(timeoutNs, this + " may have been silent for too long",
                    () -> endIfSilentFor(timeoutNs));
        }
    }

    private void endIfSilentFor(long timeoutNs) {
        if (process.isStillFor(timeoutNs)) {
            simulation.fabrics().stream().filter(each -> !each.process.isStill())
                    .flatMap(each -> List.copyOf(each.connections).stream()).filter(each -> each.leadsTo(this))
                    .forEach(SimConnection::giveUpSilentPeer);
        }
    }

    private void die() {
        process.die();
        List.copyOf(mapped).forEach(SimPeerMemory::close);
        // What it was about to do is over: whoever waits for it in the test goes on.
        endConnecting();
        simulation.network().unbind(listening);
        List.copyOf(connections).forEach(SimConnection::die);
    }

    private void cut(long lengthNs) {
        process.cut(lengthNs);
        simulation.fabrics().stream().flatMap(each -> each.connections.stream()).filter(each -> each.crosses(this))
                .forEach(this::sever);
    }

    /** From now on nothing gets through; that this is so, the devices find later. */
    private void sever(SimConnection connection) {
        connection.sever();
        simulation.schedule(RETRIES_NS + simulation.chance().delayNs(), connection + " is given up",
                connection::giveUp);
    }

    @Override
    public void abort(String cause) {
        checkThread();
        if (abortCause == null) {
            abortCause = cause;
            endConnecting();
            List.copyOf(connections).forEach(each -> each.abort(cause));
        }
    }

    @Override
    public void close() {
        checkThread();
        if (!isOpen) {
            return;
        }
        isOpen = false;
        endConnecting();
        List.copyOf(connections).forEach(SimConnection::close);
        List.copyOf(completionQueues).forEach(SimCompletionQueue::close);
        simulation.network().unbind(listening);
        memory.releaseAll();
        List.copyOf(untold).forEach(Runnable::run);
        untold.clear();
    }

    List<String> holdings() {
        List<String> held = new ArrayList<>(memory.holdings());
        connections.forEach(each -> held.add(each.toString()));
        mapped.forEach(each -> held.add(each.toString()));
        completionQueues.forEach(each -> held.add(each.toString()));
        return held;
    }

    @Override
    public String toString() {
        return "fabric sim of " + localName;
    }
}
