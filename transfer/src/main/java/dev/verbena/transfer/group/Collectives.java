package dev.verbena.transfer.group;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.TensorLease;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.GroupOptions;
import dev.verbena.transfer.Reduction;
import dev.verbena.transfer.Striping;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.engine.Engine;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.PlacementQuery;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;
import dev.verbena.transfer.protocol.TransferCounters;

/**
 * A member's side of a group: its operations, one after the other, run by whoever drives the device's first engine. Each member has slots
 * for each other: of a chunk for the one to its left in the ring, of a short message for the others.
 *
 * <p>A group fails as a whole, once, with one cause, and stays failed: who finds it tells all others.
 *
 * <p><b>Owner:</b> {@link dev.verbena.transfer.Group}. <b>Threading:</b> what is public is thread-safe; all else is called while driving.
 */
public final class Collectives {
    private static final ElementType BYTES = ElementType.UINT8;
    private static final long CLOSE_NS = 2_000_000_000L;
    /** Chunks ahead where members share processors: more than that has left the caches before its member has its turn. */
    private static final int CROWDED_DEPTH_MAX = 3;

    private final GroupHost host;
    private final String name;
    private final int rank;
    private final List<Endpoint> endpoints;
    private final GroupOptions options;
    private final Engine home;
    /** By rank; null at this one's. */
    private final Member[] members;
    /** Guarded by itself. */
    private final TransferCounters copies;
    private final Tensor outgoing;
    private final Tensor sum;
    /** Of a tensor that peers write to, or read. */
    private final TensorLease written = new TensorLease();
    private final Exchange exchange;
    private final Ring ring;
    private final Chain chain;
    /** Of the types that were reduced so far. */
    private final Map<ElementType, Arithmetic> arithmetics = new EnumMap<>(ElementType.class);
    private final AtomicReference<String> failure = new AtomicReference<>();
    /** A member is lost or has left; perhaps nobody waits for it. */
    private volatile boolean hasLoss;
    private volatile boolean isClosed;

    /** Guarded by itself, as are the next two. */
    private final ArrayDeque<Operation> offered = new ArrayDeque<>();
    private final ArrayDeque<Operation> free = new ArrayDeque<>();
    private long nextSequence;

    private final AtomicBoolean isScheduled = new AtomicBoolean();
    private final Runnable step = this::step;
    /** Writes handed over and not yet done. */
    private final AtomicInteger sending = new AtomicInteger();
    private boolean isStepping;
    private boolean mustStepAgain;
    private Operation current;
    private boolean hasBegun;
    private Algorithm algorithm;

    private Collectives(GroupHost host, String name, int rank, List<Endpoint> endpoints, TensorArena arena,
            GroupOptions options) {
        this.host = host;
        this.name = name;
        this.rank = rank;
        this.endpoints = List.copyOf(endpoints);
        this.options = options;
        home = host.engines().all().getFirst();
        members = new Member[endpoints.size()];
        outgoing = arena.allocate(BYTES, Shape.of(Message.BYTE_SIZE_MAX));
        sum = arena.allocate(BYTES, Shape.of(Message.BYTE_SIZE_MAX));
        exchange = new Exchange(this, outgoing, sum);
        ring = new Ring(this);
        chain = new Chain(this);
        copies = host.senderCounters().apply("group '" + name + "'", "");
    }

    /** With slots for all others in the arena, whose slabs must be registered with the device; nobody is asked yet. */
    public static Collectives create(GroupHost host, String name, int rank, List<Endpoint> endpoints,
            TensorArena arena, GroupOptions options) {
        Collectives group = new Collectives(host, name, rank, endpoints, arena, options);
        try {
            host.groups().add(group);
            group.announce(arena);
        } catch (RuntimeException e) {
            group.close();
            throw e;
        }
        for (Engine engine : host.engines().all()) {
            engine.execute(() -> engine.watch(engine == group.home ? group::stepIfOpen : group::scheduleIfOpen));
        }
        return group;
    }

    private void announce(TensorArena arena) {
        int depth = isCrowded() ? Math.min(options.depth(), CROWDED_DEPTH_MAX) : options.depth();
        for (int from = 0; from < members.length; from++) {
            if (from == rank) {
                continue;
            }
            long slotByteSize = slotByteSize(from, rank);
            StaticPlacementReceiver receiver = new StaticPlacementReceiver(host.engines(), host.receivers(),
                    edge(from, rank), arena, BYTES, Shape.of(slotByteSize), depth, host.arrivals(),
                    host.receiverCounters().apply(edge(from, rank)));
            members[from] = new Member(this, from, endpoints.get(from), receiver, slotByteSize);
            host.receivers().announce(receiver);
        }
    }

    /** Whether members on this host must share its processors. */
    public boolean isCrowded() {
        String host = endpoints.get(rank).host();
        return endpoints.stream().filter(member -> member.host().equals(host)).count() > Runtime.getRuntime()
                .availableProcessors();
    }

    private String edge(int from, int to) {
        return "group '" + name + "' " + from + ">" + to;
    }

    private long slotByteSize(int from, int to) {
        return (from + 1) % members.length == to ? options.chunkByteSize() : Message.BYTE_SIZE_MAX;
    }

    /**
     * Finds all others, each of which must have been created.
     *
     * @throws TransferException if one is not there in time; the group has failed then
     */
    public void join(Function<Endpoint, PeerConnection> connecting, Duration timeout) {
        long deadlineNs = host.engines().nanoTime() + timeout.toNanos();
        for (int i = 1; i < members.length; i++) {
            int to = (rank + i) % members.length;
            try {
                connect(members[to], connecting.apply(endpoints.get(to)), deadlineNs);
            } catch (TransferException e) {
                fail(members[to] + " has not joined: " + e.getMessage());
            }
            if (failure.get() != null) {
                throw new TransferException(failure.get());
            }
        }
        offer(lend().reset(Operation.Kind.JOIN, null, 31L * endpoints.hashCode() + options.hashCode()));
    }

    private void connect(Member member, PeerConnection peer, long deadlineNs) {
        String edge = edge(rank, member.rank());
        TransferCounters row = host.senderCounters().apply(edge, peer.name());
        try {
            long leftNs = Math.max(deadlineNs - host.engines().nanoTime(), 0);
            member.connected(PlacementQuery.sender(host.senders(), edge, BYTES,
                    Shape.of(slotByteSize(rank, member.rank())), peer, 0, Striping.none(), host.controlMemory(),
                    host.capabilities(), row, "",
                    Duration.ofNanos(leftNs)));
        } catch (RuntimeException e) {
            row.close();
            throw e;
        }
    }

    // ---- what users do ----

    /** In place. */
    public Operation allReduce(Tensor tensor, Reduction reduction) {
        Arithmetic.check(tensor.type(), reduction);
        Operation operation = lend().reset(Operation.Kind.ALL_REDUCE, tensor, tensor.shape().elementCount());
        operation.reduction = reduction;
        return offer(operation);
    }

    public Operation broadcast(Tensor tensor, int root) {
        Operation operation = lend().reset(Operation.Kind.BROADCAST, tensor, tensor.shape().elementCount());
        operation.root = root;
        return offer(operation);
    }

    public Operation barrier() {
        return offer(lend().reset(Operation.Kind.BARRIER, null, 0));
    }

    public Operation allGather(byte[] bytes) {
        Operation operation = lend().reset(Operation.Kind.ALL_GATHER, null, 0);
        operation.gathers = bytes.clone();
        operation.gathered = new byte[members.length][];
        return offer(operation);
    }

    /** Whether an all-reduce of so many bytes sends the tensor itself, and not what it copies of it. */
    public static boolean sendsTensor(long byteSize) {
        return byteSize > Message.PAYLOAD_BYTE_SIZE_MAX;
    }

    private Operation lend() {
        synchronized (offered) {
            Operation used = free.poll();
            return used == null ? new Operation(this) : used;
        }
    }

    /** Who has offered it has seen how it ended. */
    public void giveBack(Operation operation) {
        synchronized (offered) {
            free.add(operation.reset(Operation.Kind.BARRIER, null, 0));
        }
    }

    private Operation offer(Operation operation) {
        synchronized (offered) {
            if (isClosed) {
                throw new IllegalStateException(this + " is closed");
            }
            if (failure.get() != null) {
                throw new TransferException(failure.get());
            }
            operation.sequence = nextSequence++;
            offered.add(operation);
        }
        home.execute(step);
        return operation;
    }

    /** Looks whether a member is lost that the operation waits for. */
    void lookAfter() {
        for (Member member : members) {
            if (member != null && member.failure() != null) {
                hasLoss = true;
                schedule();
                return;
            }
        }
    }

    /** Whoever it waits for, for an operation that takes too long. */
    public void failLate(Operation operation, String after) {
        Operation running = current;
        Algorithm how = algorithm;
        List<String> awaited = new ArrayList<>();
        for (Member member : members) {
            if (member != null && running != null && how.awaits(member)) {
                awaited.add(member.toString());
            }
        }
        fail(operation + " is not done after " + after + "; "
                + (awaited.isEmpty() ? "it waits for its turn" : "waits for " + String.join(", ", awaited)));
    }

    /** A processor has copied so much of a tensor before it was sent, or back. */
    public void onCopy(long byteSize) {
        synchronized (copies) {
            copies.onCopy(byteSize);
        }
    }

    /** Whether no operation succeeds any more. */
    public boolean hasFailed() {
        return failure.get() != null;
    }

    /** All operations here and, as far as they are reached, at the other members fail with that cause; the first counts. */
    public void fail(String cause) {
        if (failure.compareAndSet(null, this + ": " + cause)) {
            byte[] message = GroupDirectory.failed(name, rank, cause);
            for (Member member : members) {
                if (member != null) {
                    member.tell(GroupDirectory.FAILED, message);
                }
            }
            end();
        }
    }

    void onTold(int from, PeerConnection peer, String cause) {
        if (failure.compareAndSet(null, this + ": rank " + from + " ('" + peer.name() + "') has failed: " + cause)) {
            end();
        }
    }

    private void end() {
        schedule();
        host.engines().announce();
    }

    /** Leaves: operations under way fail, here and at the others. Waits until nobody writes here any more. */
    public void close() {
        boolean hasOperations;
        synchronized (offered) {
            if (isClosed) {
                return;
            }
            isClosed = true;
            hasOperations = current != null || !offered.isEmpty();
        }
        if (hasOperations) {
            fail("it was closed with operations under way");
        }
        host.engines().waitElsewhereIfDriving(this::takeLeave);
    }

    private void takeLeave() {
        // Who is just taking a step is done then.
        host.engines().awaitTurn(CLOSE_NS);
        for (Member member : members) {
            if (member != null) {
                member.close();
            }
        }
        host.groups().remove(this);
        copies.close();
        written.release();
        outgoing.close();
        sum.close();
    }

    // ---- steps, while driving ----

    private boolean stepIfOpen() {
        step();
        return !isClosed;
    }

    private boolean scheduleIfOpen() {
        schedule();
        return !isClosed;
    }

    private void schedule() {
        if (isScheduled.compareAndSet(false, true)) {
            home.execute(step);
        }
    }

    private void step() {
        isScheduled.set(false);
        if (isStepping) {
            mustStepAgain = true;
            return;
        }
        isStepping = true;
        try {
            do {
                mustStepAgain = false;
                goOn();
            } while (mustStepAgain);
        } finally {
            isStepping = false;
        }
    }

    private void goOn() {
        while (hasCurrent()) {
            if (failure.get() == null && !isDone()) {
                return;
            }
            Operation ended = current;
            current = null;
            ended.finish(failure.get());
            host.engines().announce();
        }
    }

    private boolean hasCurrent() {
        if (current == null) {
            hasBegun = false;
            synchronized (offered) {
                current = offered.poll();
            }
        }
        return current != null;
    }

    private void begin() {
        algorithm = switch (current.kind) {
            case BROADCAST -> chain;
            case ALL_REDUCE -> sendsTensor(current.byteSize()) ? ring : exchange;
            case JOIN, BARRIER, ALL_GATHER -> exchange;
        };
        algorithm.begin(current);
        hasBegun = true;
    }

    /** Or failed. */
    private boolean isDone() {
        try {
            if (!hasBegun) {
                begin();
            }
            // Before it looks at what has come: whoever leaves has sent all.
            Member lost = hasLoss ? lost() : null;
            if (algorithm.advance()) {
                return true;
            }
            if (lost != null && algorithm.awaits(lost)) {
                fail(lost + " is lost: " + lost.failure());
            }
        } catch (RuntimeException e) {
            fail(current + ": " + e.getMessage());
        }
        return failure.get() != null;
    }

    /** One that the operation waits for, and of which nothing is here: who has left may have been through with it before others are heard. */
    private Member lost() {
        for (Member member : members) {
            if (member != null && member.failure() != null && algorithm.awaits(member) && !member.hasArrived()) {
                return member;
            }
        }
        return null;
    }

    /** While driving any engine. */
    void onSent(Member to, TransferException cause) {
        sending.decrementAndGet();
        if (cause != null) {
            fail(to + " is lost: " + cause.getMessage());
        }
        schedule();
    }

    // ---- what algorithms use ----

    Arithmetic arithmetic(ElementType type) {
        return arithmetics.computeIfAbsent(type, Arithmetic::of);
    }

    int rank() {
        return rank;
    }

    int size() {
        return members.length;
    }

    Member member(int which) {
        return members[which];
    }

    Member right() {
        return members[(rank + 1) % members.length];
    }

    Member left() {
        return members[(rank + members.length - 1) % members.length];
    }

    long chunkByteSize() {
        return options.chunkByteSize();
    }

    void send(Member to, Tensor tensor, long byteOffset, long byteSize) {
        sending.incrementAndGet();
        to.send(tensor, byteOffset, byteSize);
    }

    void sendTo(Member to, Place place, Tensor tensor, long byteOffset, long byteSize) {
        sending.incrementAndGet();
        to.sendTo(place, tensor, byteOffset, byteSize);
    }

    /** Whether members map what others have open. */
    boolean mapsMembers() {
        return host.capabilities().mapsPeerMemory();
    }

    /** That the next chunk is where the tensor is. */
    void sendPlace(Member to, Tensor tensor, long byteSize) {
        sending.incrementAndGet();
        to.sendPlace(tensor, byteSize);
    }

    /** With where its tensor is; the same to all, for it is written to the same memory. */
    void sendHeader(Member to, Operation operation, Place place) {
        Message.write(outgoing.memory(), outgoing.byteSize(), operation);
        long begin = Message.payloadBegin(outgoing.byteSize(), Place.BYTE_SIZE);
        place.write(outgoing.memory(), begin);
        send(to, outgoing, begin, outgoing.byteSize() - begin);
    }

    void sendHeader(Member to, Operation operation) {
        Message.write(outgoing.memory(), outgoing.byteSize(), operation);
        send(to, outgoing, outgoing.byteSize() - Message.HEADER_BYTE_SIZE, Message.HEADER_BYTE_SIZE);
    }

    /** Peers write to it, and read it. It stays what it is until {@link #letGo}, or if that is not called, since the group fails, until nobody writes here any more. */
    void hold(Tensor tensor) {
        written.pin(tensor);
    }

    void letGo() {
        written.close();
    }

    /** Whether all that was sent has left, and its memory is the user's again. */
    boolean areSent() {
        return sending.get() == 0;
    }

    void checkSame(Member member, Operation operation) {
        String difference = Message.difference(member.memory(), member.end(), operation);
        if (difference != null) {
            throw new TransferException(member + " " + difference);
        }
    }

    String name() {
        return name;
    }

    @Override
    public String toString() {
        return "group '" + name + "' rank " + rank;
    }
}
