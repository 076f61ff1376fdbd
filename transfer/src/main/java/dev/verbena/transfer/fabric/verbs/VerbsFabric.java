package dev.verbena.transfer.fabric.verbs;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.PageKind;
import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.CompletionMode;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.fabric.control.ControlledFabric;
import dev.verbena.transfer.fabric.control.Negotiation;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.fabric.verbs.cm.CmAddress;
import dev.verbena.transfer.fabric.verbs.cm.CmAgent;
import dev.verbena.transfer.fabric.verbs.cm.CmLink;
import dev.verbena.transfer.fabric.verbs.cm.CmToken;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.Importable;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;
import dev.verbena.verbs.DeviceContext;
import dev.verbena.verbs.DeviceLimits;
import dev.verbena.verbs.ProtectionDomain;
import dev.verbena.verbs.AccessFlag;
import dev.verbena.verbs.VerbsException;

/**
 * The fabric over an RDMA device: InfiniBand, RoCE, iWARP, soft-RoCE.
 *
 * <p>Threading: thread-safe.
 */
final class VerbsFabric extends ControlledFabric {
    private static final Logger LOGGER = LoggerFactory.getLogger(VerbsFabric.class);

    static final String NAME = "verbs";
    /** Of errno, asm-generic/errno-base.h. */
    private static final int EBADF = 9;
    private static final long PAGE_BYTE_SIZE = 4096;
    private static final int COMPLETION_QUEUES_MAX = 64;
    private static final long HANDSHAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private final PortChoice choice;
    private final NetworkOptions network;
    private final DeviceTraits traits;
    private final Wire wire;
    private final boolean growsCompletionQueues;
    private final CmAgent agent;
    private final DeviceContext context;
    private final ProtectionDomain domain;
    private final DeviceLimits limits;
    private final Capabilities capabilities;
    private final RequestCheck requests;
    private final OffHeapSlabSource memory = new OffHeapSlabSource();
    private final SecureRandom random = new SecureRandom();
    private final ConcurrentHashMap<Long, VerbsRegion> regions = new ConcurrentHashMap<>();
    private final Set<VerbsCompletionQueue> completionQueues = ConcurrentHashMap.newKeySet();
    /** Memory that the device may not write to: stands for what a caller gives and must not be used. */
    private final dev.verbena.verbs.MemoryRegion forbidden;
    private final AtomicLong registrationCount = new AtomicLong();
    private final AtomicLong registrationNs = new AtomicLong();

    private VerbsFabric(PortChoice choice, NetworkOptions network, CmAgent agent, DeviceContext context,
            ProtectionDomain domain, dev.verbena.verbs.MemoryRegion forbidden) {
        super("verbena-verbs-control", HANDSHAKE_TIMEOUT_NS, network);
        this.choice = choice;
        this.network = network;
        this.agent = agent;
        this.context = context;
        this.domain = domain;
        this.forbidden = forbidden;
        limits = choice.device().attributes().limits();
        traits = DeviceTraits.of(choice.device(), network);
        wire = Wire.of(traits);
        int depthMax = wire.depthMax(limits.depthMax());
        growsCompletionQueues = growsCompletionQueues(context);
        long regionByteSizeMax = limits.regionByteSizeMax() < 0 ? Long.MAX_VALUE : limits.regionByteSizeMax();
        capabilities = new Capabilities(false, false, wire.messageByteSizeMax(choice.port().messageByteSizeMax()),
                regionByteSizeMax, depthMax,
                traits.elementCountMax(), traits.readElementCountMax(), traits.hasAtomics(), false, false,
                imports(domain));
        requests = new RequestCheck(this, traits.elementCountMax(), traits.readElementCountMax(),
                traits.hasAtomics(), depthMax);
    }

    static VerbsFabric open(PortChoice choice, NetworkOptions network) {
        Deque<Runnable> ends = new ArrayDeque<>();
        try {
            CmAgent agent = null;
            DeviceContext context;
            if (DeviceTraits.of(choice.device(), network).connectsByCm()) {
                agent = openAgent(choice);
                ends.push(agent::close);
                context = agent.device();
            } else {
                context = DeviceContext.open(choice.device().name());
                ends.push(context::close);
            }
            ProtectionDomain domain = context.allocateProtectionDomain();
            ends.push(domain::close);
            dev.verbena.verbs.MemoryRegion forbidden = domain.allocate(1, Set.of());
            ends.push(forbidden::close);
            return new VerbsFabric(choice, network, agent, context, domain, forbidden);
        } catch (RuntimeException e) {
            ends.forEach(Runnable::run);
            throw e;
        }
    }

    /** Some devices do not, which shows only when it is tried. */
    private static boolean growsCompletionQueues(DeviceContext context) {
        try (dev.verbena.verbs.CompletionQueue queue = context.createCompletionQueue(1)) {
            queue.resize(2 * queue.capacity());
            return true;
        } catch (VerbsException e) {
            LOGGER.debug("completion queues of {} do not grow", context, e);
            return false;
        }
    }

    /** Whether a device takes dma-bufs shows only when it is given one: that there is none of descriptor -1 it says only if it does. */
    private static Set<Importable> imports(ProtectionDomain domain) {
        Set<Importable> imports = EnumSet.of(Importable.SOURCE, Importable.MAPPED_FILE, Importable.HOST_MEMORY);
        try {
            domain.registerDmabuf(-1, 0, PAGE_BYTE_SIZE, 0, Set.of(AccessFlag.LOCAL_WRITE)).close();
        } catch (VerbsException e) {
            LOGGER.debug("a dma-buf that is none", e);
            if (e.errno() == EBADF) {
                imports.add(Importable.DMA_BUF);
            }
        }
        return imports;
    }

    private static CmAgent openAgent(PortChoice choice) {
        String device = choice.device().name();
        return CmAgent.open(CmAddress.of(choice.gidEntry(), "port " + choice.port().number() + " of " + device),
                device);
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    DeviceTraits traits() {
        return traits;
    }

    Wire wire() {
        return wire;
    }

    boolean growsCompletionQueues() {
        return growsCompletionQueues;
    }

    /** Null where nothing is connected through the connection manager. */
    CmAgent agent() {
        return agent;
    }

    PortChoice choice() {
        return choice;
    }

    NetworkOptions network() {
        return network;
    }

    DeviceContext context() {
        return context;
    }

    ProtectionDomain domain() {
        return domain;
    }

    dev.verbena.verbs.MemoryRegion forbidden() {
        return forbidden;
    }

    DeviceLimits limits() {
        return limits;
    }

    RequestCheck requests() {
        return requests;
    }

    // ---- memory ----

    @Override
    public MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a region must be positive");
        }
        Rights.of(rights);
        checkOpen();
        checkRoom(byteSize, options.pages());
        long startNs = System.nanoTime();
        return add(VerbsRegion.register(this, domain, memory, byteSize, rights, options), startNs);
    }

    @Override
    public MemoryRegion importMemory(ForeignMemory foreign, Set<AccessRight> rights) {
        Rights.of(rights);
        checkOpen();
        long startNs = System.nanoTime();
        try {
            return add(VerbsRegion.of(this, domain, foreign, rights), startNs);
        } catch (VerbsException e) {
            throw new TransferException("device " + context.name() + " cannot import " + foreign + ": " + e.getMessage()
                    + "; capabilities().imports()=" + capabilities.imports() + ", or allocate by allocateRegion", e);
        }
    }

    private VerbsRegion add(VerbsRegion region, long startNs) {
        registrationCount.incrementAndGet();
        registrationNs.addAndGet(System.nanoTime() - startNs);
        regions.put(region.rkey(), region);
        if (!isOpen()) {
            region.close();
            checkOpen();
        }
        return region;
    }

    /** Pinned memory cannot be swapped out: more than there is would take the machine down. Reserved pages are taken from it already. */
    void checkRoom(long byteSize, PageKind pages) {
        if (byteSize > capabilities.regionByteSizeMax()) {
            throw new OutOfArenaMemoryException("a region is too large for device " + context.name() + ": need "
                    + byteSize + " bytes, have " + capabilities.regionByteSizeMax() + " at most; use several");
        }
        long available = pages == PageKind.RESERVED_HUGE ? Long.MAX_VALUE : availableByteSize();
        if (byteSize > available) {
            throw new OutOfArenaMemoryException("not enough memory to register: need " + byteSize + " bytes, have "
                    + available + " available");
        }
    }

    private static long availableByteSize() {
        try (var lines = Files.lines(Path.of("/proc/meminfo"))) {
            return lines.filter(line -> line.startsWith("MemAvailable:")).findFirst()
                    .map(line -> Long.parseLong(line.replaceAll("\\D", "")) * 1024).orElse(Long.MAX_VALUE);
        } catch (IOException e) {
            LOGGER.debug("/proc/meminfo cannot be read, so the kernel says whether there is enough memory", e);
            return Long.MAX_VALUE;
        }
    }

    /** The region with that key, or null. */
    VerbsRegion region(long rkey) {
        return regions.get(rkey);
    }

    void forget(VerbsRegion region) {
        regions.remove(region.rkey(), region);
    }

    @Override
    public long registeredByteSize() {
        return regions.values().stream().mapToLong(VerbsRegion::byteSize).sum();
    }

    @Override
    public long registrationCount() {
        return registrationCount.get();
    }

    @Override
    public long registrationNs() {
        return registrationNs.get();
    }

    // ---- completion queues ----

    @Override
    public CompletionQueue createCompletionQueue(int countMax) {
        return createCompletionQueue(countMax, network().completionMode());
    }

    @Override
    public synchronized CompletionQueue createCompletionQueue(int countMax, CompletionMode idle) {
        if (countMax <= 0) {
            throw new IllegalArgumentException("countMax=" + countMax + " of a completion queue must be positive");
        }
        checkOpen();
        if (completionQueues.size() == COMPLETION_QUEUES_MAX) {
            throw new TransferException("no more than completionQueues=" + COMPLETION_QUEUES_MAX + " per fabric");
        }
        VerbsCompletionQueue queue = new VerbsCompletionQueue(this, countMax, idle);
        completionQueues.add(queue);
        return queue;
    }

    void forget(VerbsCompletionQueue queue) {
        completionQueues.remove(queue);
    }

    // ---- connections ----

    @Override
    protected Visitor visitor(ByteBuffer payload) throws ProtocolException {
        VerbsHello hello = VerbsHello.decode(payload);
        return new Visitor(hello.name(), hello.pairs().size());
    }

    @Override
    protected void check(List<QueuePairOptions> options) {
        requests.check(options,
                queue -> queue instanceof VerbsCompletionQueue own && own.isOf(this) && own.isOpen());
    }

    @Override
    protected Negotiation negotiate(List<QueuePairOptions> options) {
        return new VerbsNegotiation(this, options);
    }

    /** By which a peer is let in, where it comes through the connection manager. */
    CmToken token() {
        return agent == null ? CmToken.NONE : CmToken.random(random);
    }

    void forget(CmToken token) {
        if (agent != null) {
            agent.forget(token);
        }
    }

    /** Before the queue pairs are destroyed: the connection manager holds on to them. */
    void disconnect(List<CmLink> links, CmToken token) {
        forget(token);
        links.forEach(CmLink::close);
    }

    VerbsHello hello(CmToken token, List<VerbsHello.PairAddress> pairs) {
        VerbsHello.Connect connect = agent == null ? VerbsHello.Connect.DIRECTLY
                : new VerbsHello.Connect(true,
                        new Endpoint(agent.address().getAddress().getHostAddress(), agent.address().getPort()), token);
        return new VerbsHello(localName(), listening(), wire, connect, pairs);
    }

    // ---- the end ----

    @Override
    protected List<AutoCloseable> holdings() {
        List<AutoCloseable> held = new ArrayList<>(completionQueues);
        held.addAll(regions.values());
        held.addAll(List.of(forbidden, domain, agent == null ? context : agent));
        return held;
    }
}
