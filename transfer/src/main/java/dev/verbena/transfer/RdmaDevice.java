package dev.verbena.transfer;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Slab;
import dev.verbena.memory.SlabOptions;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.counters.CounterFile;
import dev.verbena.transfer.counters.CounterRow.Word;
import dev.verbena.transfer.engine.Engines;
import dev.verbena.transfer.events.RegistrationEvent;
import dev.verbena.transfer.events.TransferEvents;
import dev.verbena.transfer.fabric.NativeAccess;
import dev.verbena.transfer.group.Collectives;
import dev.verbena.transfer.group.GroupDirectory;
import dev.verbena.transfer.group.GroupHost;
import dev.verbena.transfer.exchange.AdaptiveExchangeReceiver;
import dev.verbena.transfer.exchange.AdaptiveExchangeSender;
import dev.verbena.transfer.protocol.ArrivalChoice;
import dev.verbena.transfer.protocol.ControlMemory;
import dev.verbena.transfer.protocol.DynamicAllocationReceiver;
import dev.verbena.transfer.protocol.DynamicAllocationSender;
import dev.verbena.transfer.protocol.PeerConnection;
import dev.verbena.transfer.protocol.PlacementQuery;
import dev.verbena.transfer.protocol.ReceiverDirectory;
import dev.verbena.transfer.protocol.RpcMethods;
import dev.verbena.transfer.protocol.SenderDirectory;
import dev.verbena.transfer.protocol.SlotLayout;
import dev.verbena.transfer.protocol.StaticPlacementReceiver;
import dev.verbena.transfer.protocol.TransferCounters;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.Fabric;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.MemoryRegion;

/**
 * This process as its peers see it: registered memory, channels to other devices, pollers (EuroSys'19 §3.1, Table 1).
 *
 * <p><b>Owner:</b> who created it; closed after the arenas over its slabs. <b>Threading:</b> thread-safe.
 */
public final class RdmaDevice implements AutoCloseable {
    /** How long a device tries to connect to a peer, which may just be starting. */
    public static final Duration CONNECT_TIMEOUT = Duration.ofSeconds(30);

    /** What a peer may do by a key that it was told: copies of memory go both ways. */
    private static final Set<AccessRight> COPY_RIGHTS = EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE,
            AccessRight.REMOTE_READ);
    /** Tensors are written by peers, and read by nobody. */
    private static final Set<AccessRight> TENSOR_RIGHTS = EnumSet.of(AccessRight.LOCAL_WRITE, AccessRight.REMOTE_WRITE);
    private static final Set<AccessRight> MESSAGE_RIGHTS = EnumSet.of(AccessRight.LOCAL_WRITE);
    /** Message buffers and what arenas round up, per connection; rather too much than too little. */
    private static final long CONNECTION_BYTE_SIZE = 1L << 19;
    /** An entry in the receive rings of both data queue pairs, at both ends. */
    private static final long DEPTH_BYTE_SIZE = 2 * 2 * 64;
    private static final String STATIC = "static placement";
    private static final String DYNAMIC = "dynamic allocation";
    private static final String EXCHANGE = "exchange";
    private static final long DRAIN_NS = 2_000_000_000L;
    /** Between two looks at memory whose writes nobody tells of. */
    private static final long LOOK_NS = 50_000L;

    static {
        TransferEvents.offer();
    }

    private final RdmaDeviceOptions options;
    private final Fabric fabric;
    private final ArrivalChoice arrivals;
    private final Striping striping;
    private final CounterFile counters;
    private final RpcMethods methods = new RpcMethods();
    private final ReceiverDirectory receivers = new ReceiverDirectory(methods);
    private final SenderDirectory senders = new SenderDirectory(methods);
    private final GroupDirectory groups = new GroupDirectory(methods);
    private final Set<MemoryRegion> regions = ConcurrentHashMap.newKeySet();
    private final Engines engines;
    private final ControlMemory controlMemory;
    private final PeerConnections connections;
    private final Endpoint endpoint;
    private boolean closed;

    private RdmaDevice(RdmaDeviceOptions options, Fabric fabric) {
        this.options = options.withQueueDepth(Math.min(options.queueDepth(), fabric.capabilities().depthMax()));
        this.fabric = fabric;
        this.arrivals = ArrivalChoice.of(options.arrivalMode(), fabric);
        this.striping = options.striping().on(options.completionQueues());
        this.counters = new CounterFile(options.name(), fabric.name());
        // For one peer; it grows with the others.
        int countMax = (options.queuePairsPerPeer() + 1) * 2 * this.options.queueDepth();
        List<CompletionQueue> completionQueues = new ArrayList<>();
        for (int i = 0; i < options.completionQueues(); i++) {
            completionQueues.add(fabric.createCompletionQueue(countMax));
        }
        engines = new Engines(options.name(), completionQueues, options.progress(), fabric.edge(),
                fabric.capabilities().wakesOnWrite());
        controlMemory = ControlMemory.create(slabSource(MESSAGE_RIGHTS, SlabOptions.defaults()), slabSource());
        connections = new PeerConnections(fabric, engines, this.options, methods, receivers,
                controlMemory.messages(),
                fabric.edge());
        engines.start();
        try {
            endpoint = fabric.listen(options.localEndpoint(), options.name(), connections);
        } catch (RuntimeException e) {
            close();
            throw e;
        }
    }

    /**
     * Opens the fabric, listens at the local endpoint and starts the pollers.
     *
     * @throws TransferException if the fabric cannot be used here or the port is in use
     */
    public static RdmaDevice create(RdmaDeviceOptions options) {
        NetworkOptions network = options.network();
        return create(options, Fabrics.select(options.fabric(), network).open(network));
    }

    /**
     * Over a fabric opened by the caller, such as one of his own or a simulated one, which the device closes.
     *
     * @throws TransferException if the port is in use, or Java refuses native calls
     */
    public static RdmaDevice create(RdmaDeviceOptions options, Fabric fabric) {
        try {
            NativeAccess.require();
            return new RdmaDevice(options, fabric);
        } catch (RuntimeException e) {
            fabric.close();
            throw e;
        }
    }

    /** The name that peers know it by. */
    public String name() {
        return options.name();
    }

    /** The fabric that was chosen, such as {@code shm} or {@code verbs}; never {@code auto}. */
    public String fabricName() {
        return fabric.name();
    }

    /** Data queue pairs of a connection; what {@link #channel} takes as index is below it. */
    public int queuePairsPerPeer() {
        return options.queuePairsPerPeer();
    }

    /** Where it really listens. */
    public Endpoint endpoint() {
        return endpoint;
    }

    /** What its fabric can do, as probed when that was opened; the same as long as the device is open. */
    public Capabilities capabilities() {
        return fabric.capabilities();
    }

    /**
     * Memory that peers who are told its key may read and write, for {@link RdmaChannel#memcpy}; registered once. The caller closes it.
     *
     * @throws dev.verbena.memory.OutOfArenaMemoryException if there is not so much
     */
    public MemoryRegion allocateRegion(long byteSize) {
        return allocateRegion(byteSize, SlabOptions.defaults());
    }

    /**
     * The same, of memory as the options want it, as far as the fabric can; what it cannot, {@link MemoryRegion#backing} says.
     *
     * @throws dev.verbena.memory.OutOfArenaMemoryException if there is not so much
     * @throws IllegalArgumentException if the machine has no such NUMA node
     * @throws java.util.concurrent.CancellationException if the thread is interrupted while pages are pre-faulted
     */
    public MemoryRegion allocateRegion(long byteSize, SlabOptions memory) {
        return allocateRegion(byteSize, COPY_RIGHTS, memory);
    }

    /** The same, with these rights and no others. */
    public MemoryRegion allocateRegion(long byteSize, Set<AccessRight> rights, SlabOptions memory) {
        RegistrationEvent event = RegistrationEvent.begun();
        MemoryRegion region = fabric.register(byteSize, rights, memory);
        event.commit(options.name(), region.byteSize(), false);
        return remember(region);
    }

    /**
     * Registers memory that is not the device's: of the caller, of a library of his, of another device; as far as
     * {@code capabilities().imports()} goes. Without rights tensors can be sent from it, and no more; any host memory will do for that, on
     * every fabric. An arena over it is one over {@code new GivenSlabSource(region)}, if it is of the host. The caller closes the region, and
     * keeps the memory allocated until then.
     *
     * @throws TransferException if the fabric cannot; the message says what to do instead
     * @throws IllegalArgumentException if the rights cannot be given together
     */
    public MemoryRegion importRegion(ForeignMemory memory, Set<AccessRight> rights) {
        RegistrationEvent event = RegistrationEvent.begun();
        MemoryRegion region = fabric.importMemory(memory, rights);
        event.commit(options.name(), region.byteSize(), true);
        return remember(region);
    }

    /** And forgets those that their owners have closed meanwhile. */
    private MemoryRegion remember(MemoryRegion region) {
        regions.removeIf(each -> !each.isOpen());
        regions.add(region);
        tellRegistered();
        return region;
    }

    /**
     * Slabs registered once with this device, for arenas whose tensors can be sent without a copy. Peers that send to a receiver in it may
     * write it; nobody may read it but this process.
     */
    public SlabSource slabSource() {
        return slabSource(SlabOptions.defaults());
    }

    /** The same, of memory as the options want it, as far as the fabric can: see {@link #allocateRegion(long, SlabOptions)}. */
    public SlabSource slabSource(SlabOptions memory) {
        return slabSource(TENSOR_RIGHTS, memory);
    }

    /** As {@link #slabSource()}, of memory that peers may read too, such as tensors that a {@link DynamicTensorSender} offers. */
    public SlabSource readableSlabSource() {
        return readableSlabSource(SlabOptions.defaults());
    }

    /** The same, of memory as the options want it, as far as the fabric can: see {@link #allocateRegion(long, SlabOptions)}. */
    public SlabSource readableSlabSource(SlabOptions memory) {
        return slabSource(COPY_RIGHTS, memory);
    }

    private SlabSource slabSource(Set<AccessRight> rights, SlabOptions memory) {
        return new SlabSource() {
            @Override
            public Slab acquire(long byteSizeMin) {
                return allocateRegion(byteSizeMin, rights, memory);
            }

            @Override
            public void release(Slab slab) {
                ((MemoryRegion) slab).close();
                regions.remove(slab);
                tellRegistered();
            }
        };
    }

    /**
     * The channel over one of the data queue pairs to a peer; connects on first use.
     *
     * @throws TransferException if nobody answers there within {@link #CONNECT_TIMEOUT}
     */
    public RdmaChannel channel(Endpoint remote, int queuePairIndex) {
        checkQueuePairIndex(queuePairIndex);
        return channel(connections.to(remote), queuePairIndex);
    }

    /**
     * As {@link #channel}, without waiting: the stage completes, on a thread that may wait, with the channel or the
     * {@link TransferException}. No thread is kept until then, and however many peers it connects to at once, none waits for another.
     */
    public CompletionStage<RdmaChannel> channelAsync(Endpoint remote, int queuePairIndex) {
        checkQueuePairIndex(queuePairIndex);
        CompletableFuture<RdmaChannel> stage = new CompletableFuture<>();
        connections.connect(remote).whenComplete((peer, failure) -> execute(() -> {
            if (failure != null) {
                stage.completeExceptionally(failure);
            } else {
                stage.complete(channel(peer, queuePairIndex));
            }
        }));
        return stage;
    }

    private void checkQueuePairIndex(int queuePairIndex) {
        if (queuePairIndex < 0 || queuePairIndex >= options.queuePairsPerPeer()) {
            throw new IllegalArgumentException("queuePairIndex=" + queuePairIndex + " but queuePairsPerPeer="
                    + options.queuePairsPerPeer());
        }
    }

    private RdmaChannel channel(PeerConnection peer, int queuePairIndex) {
        return new RdmaChannel(this, peer, queuePairIndex, options.queueDepth());
    }

    /** Answers calls of a method; once per method. */
    public void handle(String method, RpcHandler handler) {
        methods.add(method, (peer, request) -> handler.handle(peer.name(), request));
    }

    /**
     * Calls a method of a peer over the small RPC and waits for the answer; requests and answers are at most 64 KiB.
     *
     * @throws TransferException if the peer refuses, fails, is lost or does not answer in time
     */
    public byte[] call(Endpoint remote, String method, byte[] request, Duration timeout) {
        return connections.to(remote).call(method, request, timeout);
    }

    /**
     * As {@link #call}, without waiting: the stage completes, on a thread that may wait, with the answer or the {@link TransferException}.
     */
    public CompletionStage<byte[]> callAsync(Endpoint remote, String method, byte[] request, Duration timeout) {
        return elsewhere(() -> call(remote, method, request, timeout));
    }

    /**
     * Preallocates {@code depth} slots in the arena and announces them to senders under the name.
     *
     * @param arena over {@link #slabSource()} of this device
     * @throws IllegalArgumentException if the name is taken or the arena's memory is not registered here
     */
    public TensorReceiver receiver(String name, TensorArena arena, ElementType type, Shape shape, int depth) {
        return receiver(name, arena, type, shape, depth, "");
    }

    /**
     * The same for one sender, which says the same agreement ({@link RdmaChannel#sender(String, ElementType, Shape, String, Duration)}): one that
     * says another is refused by both, and one that comes when there is, or was, a sender waits for the next receiver of that name. When the
     * sender has closed and all that it sent was polled, a poll throws {@link TransferException}.
     *
     * @param agreement in words, such as which plan both ends follow; empty for none
     */
    public TensorReceiver receiver(String name, TensorArena arena, ElementType type, Shape shape, int depth,
            String agreement) {
        return announced(name, row -> new StaticPlacementReceiver(engines, receivers, name, arena, type, shape, depth,
                arrivals, row, agreement));
    }

    /**
     * The same, with slots in memory of the caller: where many small receivers are made, one block for all their slots takes less than one for
     * each.
     *
     * @param slots of {@link #receiverBufferByteSize} at least, in memory registered here; the receiver's from now on, who closes it when no peer
     *            can write there any more, or if it is refused
     * @throws IllegalArgumentException also if they are too small
     */
    public TensorReceiver receiver(String name, Tensor slots, ElementType type, Shape shape, int depth,
            String agreement) {
        return announced(name, row -> new StaticPlacementReceiver(engines, receivers, name, slots, type, shape, depth,
                arrivals, row, agreement));
    }

    private TensorReceiver announced(String name, Function<TransferCounters, StaticPlacementReceiver> made) {
        TransferCounters row = receiverCounters(name, STATIC);
        StaticPlacementReceiver receiver = closingOnFailure(row, () -> made.apply(row));
        try {
            receivers.announce(receiver);
        } catch (IllegalArgumentException e) {
            receiver.close();
            throw e;
        }
        return new TensorReceiver(this, receiver);
    }

    /**
     * Announces under the name a receiver of tensors of any type and shape, which it allocates in the arena as they come.
     *
     * @param arena over {@link #slabSource()} of this device
     * @param depth tensors that a sender may tell of before the first of them is read, and that are read ahead of who polls; slots for their
     *            records are allocated in the arena now
     * @throws IllegalArgumentException if the name is taken or the arena's memory is not registered here
     */
    public DynamicTensorReceiver dynamicReceiver(String name, TensorArena arena, int depth) {
        return dynamicReceiver(name, arena, depth, "");
    }

    /**
     * The same for one sender; see {@link #receiver(String, TensorArena, ElementType, Shape, int, String)}.
     *
     * @param agreement in words; empty for none
     */
    public DynamicTensorReceiver dynamicReceiver(String name, TensorArena arena, int depth, String agreement) {
        return dynamicReceiver(name, arena, depth, agreement, null);
    }

    /**
     * The same, which does not read what its sender lends ({@link RdmaChannel#lendingSender}) where the fabric maps memory of peers,
     * {@code capabilities().mapsPeerMemory()}: the polled tensor lies in the sender's memory, mapped here for reading only, and closing it gives it back.
     * What is only offered, and everything on other fabrics, is read into the arena.
     */
    public DynamicTensorReceiver borrowingReceiver(String name, TensorArena arena, int depth, String agreement) {
        return dynamicReceiver(name, arena, depth, agreement, new DynamicAllocationReceiver.Borrowing(
                capabilities().mapsPeerMemory(), controlMemory.messages()));
    }

    private DynamicTensorReceiver dynamicReceiver(String name, TensorArena arena, int depth, String agreement,
            DynamicAllocationReceiver.Borrowing borrowing) {
        TransferCounters row = receiverCounters(name, DYNAMIC);
        DynamicAllocationReceiver receiver = closingOnFailure(row, () -> DynamicAllocationReceiver.create(engines,
                receivers, name, arena, depth, arrivals, capabilities().messageByteSizeMax(), striping, row,
                agreement, borrowing));
        return new DynamicTensorReceiver(this, receiver);
    }

    /**
     * Makes this device the member of that rank of a group; {@link Group#join} then waits for the others.
     *
     * @param members where each rank's device listens, this one included; the same list everywhere
     * @param arena over {@link #slabSource()} of this device; slots for the other members are allocated in it now
     * @throws IllegalArgumentException if this device is not the one of that rank, or is in a group of that name already, or the arena's memory
     *             is not registered here
     */
    public Group group(String name, int rank, List<Endpoint> members, TensorArena arena, GroupOptions options) {
        if (rank < 0 || rank >= members.size() || members.get(rank).port() != endpoint.port()) {
            throw new IllegalArgumentException(
                    "rank=" + rank + " of group '" + name + "' is not this device, which listens at "
                            + endpoint + "; members=" + members);
        }
        if (members.stream().distinct().count() < members.size()) {
            throw new IllegalArgumentException("group '" + name + "' has a member twice: " + members);
        }
        GroupHost host = new GroupHost(engines, receivers, senders, controlMemory, capabilities(), arrivals, groups,
                (edge, peer) -> senderCounters(edge, peer, STATIC), edge -> receiverCounters(edge, STATIC));
        return new Group(this, name, rank, List.copyOf(members), arena,
                Collectives.create(host, name, rank, members, arena, options));
    }

    /**
     * Announces under the name a receiver of tensors by name and step, which it allocates in the arena when they are asked for, small ones as
     * they come.
     *
     * @param arena over {@link #slabSource()} of this device
     * @param depth messages that a sender may have under way; slots for them, of 8 KiB, are allocated in the arena now
     * @throws IllegalArgumentException if the name is taken or the arena's memory is not registered here
     */
    public ExchangeReceiver exchangeReceiver(String name, TensorArena arena, int depth) {
        TransferCounters row = receiverCounters(name, EXCHANGE);
        return new ExchangeReceiver(this,
                closingOnFailure(row, () -> AdaptiveExchangeReceiver.create(engines, receivers,
                        name, arena, depth, arrivals, capabilities().messageByteSizeMax(), striping, row)));
    }

    /**
     * Exchanges tensors by name and step with the device at that endpoint, in both directions; there it is made under the same name, with
     * this device's endpoint. The names of both devices tell their ends apart.
     *
     * @param arena over {@link #slabSource()} of this device
     * @param timeout how long to wait until the peer has made its end
     * @throws TransferException if it does not in time
     * @throws IllegalArgumentException if there is one of that name with that peer, or the arena's memory is not registered here
     */
    public TensorExchange exchange(String name, Endpoint remote, TensorArena arena, ExchangeOptions exchangeOptions,
            Duration timeout) {
        RdmaChannel channel = channel(remote, 0);
        ExchangeReceiver receiver = exchangeReceiver(name + " from " + channel.peerName(), arena,
                exchangeOptions.depth());
        try {
            return new TensorExchange(channel.exchangeSender(name + " from " + name(), exchangeOptions, timeout),
                    receiver);
        } catch (RuntimeException e) {
            receiver.close();
            throw e;
        }
    }

    /** As {@link #exchange}, without waiting: the stage completes on a thread that may wait. */
    public CompletionStage<TensorExchange> exchangeAsync(String name, Endpoint remote, TensorArena arena,
            ExchangeOptions exchangeOptions, Duration timeout) {
        return elsewhere(() -> exchange(name, remote, arena, exchangeOptions, timeout));
    }

    /**
     * Bytes of the one tensor that a receiver of these allocates in its arena, for {@link TensorArena#plannedByteSize}; a multiple of 64, so that
     * the slots of one receiver can lie right behind another's.
     */
    public static long receiverBufferByteSize(ElementType type, Shape shape, int depth) {
        return new SlotLayout(shape.byteSize(type), depth).totalByteSize();
    }

    /** As {@link #receiverBufferByteSize}, of a receiver that allocates what it is told of beside that. */
    public static long dynamicReceiverBufferByteSize(int depth) {
        return DynamicAllocationReceiver.recordsByteSize(depth);
    }

    /**
     * Shared memory that a device takes at most beside what its users allocate, when it has connected to, and been connected to by, so
     * many peers, with queues of that depth; to plan by.
     */
    public static long overheadByteSize(int peers, int queueDepth) {
        return (CONNECTION_BYTE_SIZE + DEPTH_BYTE_SIZE * queueDepth) * (2L * peers + 4);
    }

    /** Shared memory that the device takes for a lending sender, or its receiver, beside that; to plan by. */
    public static long lendingByteSize() {
        return DynamicAllocationSender.loansByteSize();
    }

    /** Changes whenever something may have arrived; see {@link #awaitActivity}. */
    public long activity() {
        return engines.activity();
    }

    /**
     * Waits until {@link #activity()} differs from {@code seen} or the timeout passes, or for no reason; for a loop that reads
     * activity(), polls receivers, and finds nothing. Where callers drive ({@link Progress}) the thread drives meanwhile. Any number of
     * threads may wait; all of them wake.
     */
    public void awaitActivity(long seen, long timeoutNs) {
        engines.awaitActivity(seen, timeoutNs);
    }

    /** Called once for each peer that is lost, not closed, with a sentence that names it; on a thread that must not block. */
    public void onPeerLost(Consumer<String> listener) {
        connections.addLostListener(listener);
    }

    /** Tells all peers why this process gives up; their transfers then fail with that cause. */
    public void abort(String cause) {
        connections.abort(cause);
    }

    /** Sums since the device was made, those of senders that are closed included; registered bytes are those at present. */
    public DeviceStatistics statistics() {
        return new DeviceStatistics(counters.sent(Word.TENSORS), counters.sent(Word.BYTES),
                counters.sent(Word.STAGED_TENSORS), counters.sent(Word.STAGED_BYTES), fabric.registeredByteSize(),
                fabric.registrationCount(),
                fabric.registrationNs());
    }

    /** What each sender and receiver of this device has done so far; of those that are closed {@link #statistics} has the sums. */
    public List<TransferStatistics> transferStatistics() {
        return counters.inUse().stream().map(TransferStatistics::of).toList();
    }

    /** Waits for a tensor. @see #awaitWrite */
    boolean awaitArrival(BooleanSupplier condition, boolean byWrite, Duration timeout) {
        return await(condition, timeout, byWrite, Integer.MAX_VALUE);
    }

    /**
     * Waits until the condition holds, which a plain write of the peer's brings about. Where the fabric does not tell of those, it looks
     * again and again.
     *
     * @throws IllegalStateException on a thread that drives, such as in a callback
     */
    boolean awaitWrite(BooleanSupplier condition, Duration timeout) {
        return await(condition, timeout, true, Integer.MAX_VALUE);
    }

    /** As {@link #awaitWrite(BooleanSupplier, Duration)}, with at most so many rounds without work before it sleeps. */
    boolean awaitWrite(BooleanSupplier condition, Duration timeout, int spinsMax) {
        return await(condition, timeout, true, spinsMax);
    }

    /** Waits for the end of something that this side has started. @see #awaitWrite */
    boolean awaitCompletion(BooleanSupplier condition, Duration timeout) {
        return await(condition, timeout, false, Integer.MAX_VALUE);
    }

    /** Waits for what has failed to end, which takes no longer than the driver's turn, whatever interrupts. */
    void awaitEnd(BooleanSupplier condition) {
        engines.awaitUninterruptibly(condition, DRAIN_NS);
    }

    /** @throws IllegalStateException on a thread that drives, such as in a callback */
    void requireWaiting() {
        if (engines.isDriving()) {
            throw new IllegalStateException("a callback or a handler must not wait");
        }
    }

    private boolean await(BooleanSupplier condition, Duration timeout, boolean byWrite, int spinsMax) {
        requireWaiting();
        if (!byWrite || fabric.capabilities().wakesOnWrite()) {
            return engines.await(condition, timeout.toNanos(), spinsMax);
        }
        long deadlineNs = engines.nanoTime() + timeout.toNanos();
        long leftNs = timeout.toNanos();
        while (!engines.await(condition, Math.min(leftNs, LOOK_NS), spinsMax)) {
            leftNs = deadlineNs - engines.nanoTime();
            if (leftNs <= 0 || Thread.currentThread().isInterrupted()) {
                return false;
            }
        }
        return true;
    }

    /** The stage of what waits: on a virtual thread of its own, which drives meanwhile where callers do. */
    <T> CompletableFuture<T> elsewhere(Supplier<T> waiting) {
        CompletableFuture<T> stage = new CompletableFuture<>();
        execute(() -> {
            try {
                stage.complete(waiting.get());
            } catch (RuntimeException | Error e) {
                stage.completeExceptionally(e);
            }
        });
        return stage;
    }

    /** Runs it on a virtual thread of its own. */
    void execute(Runnable waiting) {
        fabric.edge().execute(waiting);
    }

    /** Ends every {@link #awaitActivity} at present, for a thread that has something for those who wait. */
    public void wakeUp() {
        engines.announce();
    }

    /**
     * Moves transfers on, once, without waiting, where callers drive ({@link Progress}); elsewhere the pollers do that. For a program that
     * computes for long between offers and polls.
     */
    public void progress() {
        engines.progressWithPuts();
    }

    /** Waits up to two seconds for transfers in progress, then ends all connections, pollers and memory. Idempotent. */
    @Override
    public synchronized void close() {
        if (closed) {
            return;
        }
        closed = true;
        engines.awaitUninterruptibly(() -> !engines.hasCommands() && connections.isIdle(), DRAIN_NS);
        connections.close();
        engines.close();
        senders.close();
        // Before its memory: a connection may just be coming in.
        fabric.close();
        controlMemory.close();
        counters.close();
    }

    boolean isRegistered(Slab slab) {
        return slab instanceof MemoryRegion region && regions.contains(region);
    }

    TensorSender connectSender(PeerConnection peer, int queuePairIndex, String name, ElementType type, Shape shape,
            String agreement, Duration timeout) {
        TransferCounters row = senderCounters(name, peer.name(), STATIC);
        return new TensorSender(this, closingOnFailure(row, () -> PlacementQuery.sender(senders, name, type, shape,
                peer, queuePairIndex, striping, controlMemory, capabilities(), row, agreement, timeout)));
    }

    DynamicTensorSender connectDynamicSender(PeerConnection peer, int queuePairIndex, String name, String agreement,
            boolean mayLend, Duration timeout) {
        TransferCounters row = senderCounters(name, peer.name(), DYNAMIC);
        return new DynamicTensorSender(this, closingOnFailure(row, () -> PlacementQuery.dynamicSender(senders, name,
                peer, queuePairIndex, controlMemory, capabilities(), row, agreement, mayLend, timeout)));
    }

    private TransferCounters senderCounters(String name, String peerName, String protocol) {
        // Dynamically allocated tensors are read, by the receiver.
        boolean movesByCpu = capabilities().movesByCpu() && protocol.equals(STATIC);
        return TransferCounters.ofSender(counters, name, peerName, protocol, movesByCpu);
    }

    private TransferCounters receiverCounters(String name, String protocol) {
        boolean movesByCpu = capabilities().movesByCpu() && protocol.equals(DYNAMIC);
        TransferCounters row = TransferCounters.ofReceiver(counters, name, protocol, movesByCpu);
        row.onArrivalChosen(arrivals.reason(arrivals.beforehand()));
        return row;
    }

    /** What a sender or a receiver counts in is its own as soon as there is one. */
    private static <T> T closingOnFailure(TransferCounters row, Supplier<T> maker) {
        try {
            return maker.get();
        } catch (RuntimeException | Error e) {
            row.close();
            throw e;
        }
    }

    private void tellRegistered() {
        counters.onRegistered(fabric.registeredByteSize(), fabric.registrationCount());
    }

    PeerConnection peer(Endpoint remote) {
        return connections.to(remote);
    }

    ExchangeSender connectExchangeSender(PeerConnection peer, int queuePairIndex, String name,
            ExchangeOptions exchangeOptions, Duration timeout) {
        TransferCounters row = senderCounters(name, peer.name(), EXCHANGE);
        return new ExchangeSender(this, closingOnFailure(row, () -> AdaptiveExchangeSender.connect(senders, name, peer,
                queuePairIndex, controlMemory, capabilities(), row, exchangeOptions.eagerByteSizeMax(), timeout)),
                exchangeOptions);
    }
}
