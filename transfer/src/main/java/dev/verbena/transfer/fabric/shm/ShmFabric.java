package dev.verbena.transfer.fabric.shm;

import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import dev.verbena.memory.SlabOptions;
import dev.verbena.transfer.fabric.RequestCheck;
import dev.verbena.transfer.fabric.Rights;
import dev.verbena.transfer.NetworkOptions;
import dev.verbena.transfer.TransferException;
import dev.verbena.transfer.fabric.control.ControlledFabric;
import dev.verbena.transfer.fabric.control.Negotiation;
import dev.verbena.transfer.fabric.control.ProtocolException;
import dev.verbena.transfer.spi.AccessRight;
import dev.verbena.transfer.spi.Capabilities;
import dev.verbena.transfer.spi.CompletionQueue;
import dev.verbena.transfer.spi.ForeignMemory;
import dev.verbena.transfer.spi.Importable;
import dev.verbena.transfer.spi.MemoryRegion;
import dev.verbena.transfer.spi.QueuePairOptions;

/**
 * The fabric between processes of one machine, over shared memory.
 *
 * <p>Threading: thread-safe.
 */
final class ShmFabric extends ControlledFabric {
    static final String NAME = "shm";
    static final int DEPTH_MAX = 4096;
    static final int ELEMENT_COUNT_MAX = 16;
    static final int QUEUE_PAIRS_MAX = 256;
    static final long MESSAGE_BYTE_SIZE_MAX = 1L << 40;
    static final long HANDSHAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private static final long SWEEP_NS = TimeUnit.SECONDS.toNanos(1);

    private final RequestCheck requests = new RequestCheck(this, ELEMENT_COUNT_MAX, ELEMENT_COUNT_MAX, true,
            DEPTH_MAX);
    private final ShmFiles files;
    /** Asked by every call that waits. */
    private final Capabilities capabilities;
    private final SharedFile file;
    private final SharedFile regionTableFile;
    private final RegionTable regionTable;
    private final String machine = Hello.thisMachine();
    private final PeerFiles ownFiles;
    private final int user = UnixSocket.ownUser();
    /** Null where it does not listen; written before it does. */
    private volatile Door door;
    /** Of the control thread. */
    private boolean isSweeping;
    private final AtomicInteger queuePairNumbers = new AtomicInteger();

    // Guarded by this.
    private final SecureRandom random = new SecureRandom();
    private final Map<Long, ShmMemoryRegion> regions = new HashMap<>();
    private final long[] lastKeys = new long[RegionTable.ENTRY_COUNT];
    private final BitSet usedEntries = new BitSet();
    private int nextEntry;
    private final Map<Integer, ShmCompletionQueue> completionQueues = new HashMap<>();
    private final BitSet usedDoorbells = new BitSet();
    private long registeredByteSize;
    private long registrationCount;
    private long registrationNs;

    private ShmFabric(ShmFiles files, PeerFiles ownFiles, SharedFile file, SharedFile regionTableFile,
            long handshakeTimeoutNs,
            NetworkOptions network) {
        super("verbena-shm-control", handshakeTimeoutNs, network);
        this.files = files;
        this.ownFiles = ownFiles;
        capabilities = new Capabilities(true, true, MESSAGE_BYTE_SIZE_MAX, files.totalByteSize(), DEPTH_MAX,
                ELEMENT_COUNT_MAX, ELEMENT_COUNT_MAX, true, true, true,
                Set.of(Importable.SOURCE, Importable.MAPPED_FILE));
        this.file = file;
        this.regionTableFile = regionTableFile;
        regionTable = new RegionTable(regionTableFile.memory());
    }

    static ShmFabric open(ShmFiles files, long handshakeTimeoutNs, NetworkOptions network) {
        SharedFile file = SharedFile.create(files, FabricFile.BYTE_SIZE);
        SharedFile regionTableFile = null;
        PeerFiles ownFiles = null;
        try {
            ownFiles = PeerFiles.own();
            FabricFile.initialize(file.memory());
            regionTableFile = SharedFile.create(files, RegionTable.TABLE_BYTE_SIZE);
            return new ShmFabric(files, ownFiles, file, regionTableFile, handshakeTimeoutNs, network);
        } catch (RuntimeException e) {
            file.close();
            if (regionTableFile != null) {
                regionTableFile.close();
            }
            if (ownFiles != null) {
                ownFiles.close();
            }
            throw e;
        }
    }

    @Override
    public String name() {
        return NAME;
    }

    @Override
    public Capabilities capabilities() {
        return capabilities;
    }

    int nextQueuePairNumber() {
        return queuePairNumbers.incrementAndGet();
    }

    // ---- memory ----

    @Override
    public MemoryRegion register(long byteSize, Set<AccessRight> rights, SlabOptions options) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + " of a region must be positive");
        }
        int rightBits = Rights.of(rights);
        checkOpen();
        long startNs = System.nanoTime();
        // Outside the lock: backing a large region with pages takes a while.
        return publish(RegionFile.create(files, byteSize, options), rights, rightBits, startNs);
    }

    @Override
    public MemoryRegion importMemory(ForeignMemory memory, Set<AccessRight> rights) {
        int rightBits = Rights.of(rights);
        checkOpen();
        long startNs = System.nanoTime();
        return switch (memory) {
            case ForeignMemory.Host host -> publish(imported(host.segment(), rightBits), rights, rightBits, startNs);
            case ForeignMemory.DmaBuf buffer -> throw new TransferException("fabric shm cannot import " + buffer
                    + ": processors move its bytes, and do not reach a device's memory; use fabric verbs, or copy it to"
                    + " the host");
        };
    }

    private static RegionMemory imported(MemorySegment memory, int rightBits) {
        MappedFile file = rightBits == 0 ? null : MappedFile.find(memory);
        if (file == null && rightBits != 0) {
            throw new TransferException("fabric shm cannot import memory=" + memory
                    + " with rights: it is this process's"
                    + " alone; give a mapping of a file (FileChannel.map, READ_WRITE, of a file in a tmpfs), or no rights"
                    + " to send from it only, or allocate it by allocateRegion");
        }
        return file == null ? new OrdinaryMemory(memory) : file;
    }

    private ShmMemoryRegion publish(RegionMemory memory, Set<AccessRight> rights, int rightBits, long startNs) {
        try {
            return publishOrThrow(memory, rights, rightBits, startNs);
        } catch (RuntimeException e) {
            memory.release();
            throw e;
        }
    }

    private synchronized ShmMemoryRegion publishOrThrow(RegionMemory memory, Set<AccessRight> rights, int rightBits,
            long startNs) {
        checkOpen();
        long rkey = newKey();
        ShmMemoryRegion region = new ShmMemoryRegion(this, memory, rkey, rights);
        if (memory.identity() != null) {
            regionTable.publishRelease(rkey, memory.identity(), Libc.cannotShrink(memory.identity().fd()),
                    memory.fileOffset(), rightBits, region.address(),
                    region.byteSize());
        }
        regions.put(rkey, region);
        registeredByteSize += region.byteSize();
        registrationCount++;
        registrationNs += System.nanoTime() - startNs;
        return region;
    }

    /** Entries are taken in turn and keys of an entry differ, so that an old key stays wrong for as long as possible. */
    private long newKey() {
        int index = usedEntries.nextClearBit(nextEntry);
        if (index >= RegionTable.ENTRY_COUNT) {
            index = usedEntries.nextClearBit(0);
        }
        if (index >= RegionTable.ENTRY_COUNT) {
            throw new TransferException("region table is full: regions=" + RegionTable.ENTRY_COUNT
                    + "; close some or register fewer, larger ones");
        }
        nextEntry = (index + 1) % RegionTable.ENTRY_COUNT;
        long key;
        do {
            key = random.nextLong() << RegionTable.INDEX_BITS | index;
        } while (key >>> RegionTable.INDEX_BITS == 0 || key == lastKeys[index]);
        lastKeys[index] = key;
        usedEntries.set(index);
        return key;
    }

    /** Called by the region, before it unmaps. Idempotent. */
    void deregister(ShmMemoryRegion region) {
        synchronized (this) {
            if (regions.remove(region.rkey()) == null) {
                return;
            }
            regionTable.revokeVolatile(region.rkey());
            usedEntries.clear(RegionTable.index(region.rkey()));
            registeredByteSize -= region.byteSize();
        }
        connections().forEach(connection -> ((ShmConnection) connection).requestSweep());
    }

    @Override
    public synchronized long registeredByteSize() {
        return registeredByteSize;
    }

    @Override
    public synchronized long registrationCount() {
        return registrationCount;
    }

    @Override
    public synchronized long registrationNs() {
        return registrationNs;
    }

    // ---- completion queues ----

    @Override
    public synchronized CompletionQueue createCompletionQueue(int countMax) {
        if (countMax <= 0) {
            throw new IllegalArgumentException("countMax=" + countMax + " of a completion queue must be positive");
        }
        checkOpen();
        int index = usedDoorbells.nextClearBit(0);
        if (index >= FabricFile.DOORBELL_COUNT) {
            throw new TransferException("no more than completionQueues=" + FabricFile.DOORBELL_COUNT + " per fabric");
        }
        usedDoorbells.set(index);
        ShmCompletionQueue queue = new ShmCompletionQueue(this, index, FabricFile.doorbell(file.memory(), index));
        completionQueues.put(index, queue);
        return queue;
    }

    synchronized void release(ShmCompletionQueue queue) {
        completionQueues.remove(queue.doorbellIndex());
        usedDoorbells.clear(queue.doorbellIndex());
    }

    // ---- connections ----

    @Override
    protected Visitor visitor(ByteBuffer payload) throws ProtocolException {
        Hello hello = Hello.decode(payload);
        String refusal = identity().refusal(hello);
        if (refusal != null) {
            throw new ProtocolException(refusal);
        }
        return new Visitor(hello.name(), hello.receiveDepths().length);
    }

    RequestCheck requests() {
        return requests;
    }

    @Override
    protected void check(List<QueuePairOptions> options) {
        requests.check(options,
                queue -> queue instanceof ShmCompletionQueue own && own.isOf(this) && own.isOpen());
    }

    @Override
    protected Negotiation negotiate(List<QueuePairOptions> options) {
        return new ShmNegotiation(this, options);
    }

    /** Whether what peers share must be sealed too. */
    boolean wantsSeals() {
        return files.areSealed();
    }

    SharedFile createLinkFile(List<QueuePairOptions> options) {
        SharedFile linkFile = SharedFile.create(files, LinkFile.byteSize(ShmConnection.receiveDepths(options)));
        LinkFile.initialize(linkFile.memory());
        return linkFile;
    }

    @Override
    protected void prepareToListen(InetSocketAddress address) {
        try {
            door = new Door(address, ownFiles, user);
        } catch (IOException e) {
            throw new TransferException("cannot listen at " + address + ": " + e.getMessage() + "; port "
                    + address.getPort() + " is in use: another process has its local socket, take another or 0", e);
        }
    }

    @Override
    protected void onListeningRefused() {
        if (door != null) {
            door.close();
            door = null;
        }
    }

    /** Hands this process's files over to who listens there. @return null if there is no way to */
    Door.Knock knock(InetSocketAddress remote) throws ProtocolException, IOException {
        return Door.knock(remote, ownFiles, user);
    }

    /** The files of who has knocked with that number, and has been handed this process's. Called on the control thread. */
    PeerFiles answer(long number) throws ProtocolException, IOException {
        return door.answer(number);
    }

    /** Who has knocked and was refused before it was looked for shall not stand in the way of others. */
    @Override
    protected void onHandshakeEnd() {
        door.letIn();
        sweepLater();
    }

    /** As long as somebody waits who may have gone. */
    private void sweepLater() {
        if (!isSweeping && door.isSomebodyWaiting()) {
            isSweeping = true;
            after(SWEEP_NS, () -> {
                isSweeping = false;
                door.sweep(HANDSHAKE_TIMEOUT_NS);
                sweepLater();
            });
        }
    }

    /** This side, as far as it decides with whom it can share memory. */
    Hello identity() {
        return hello(Door.NO_NUMBER, null, List.of());
    }

    Hello hello(long knock, FileIdentity linkFile, List<QueuePairOptions> options) {
        int[] doorbells = options.stream().mapToInt(o -> ((ShmCompletionQueue) o.completionQueue()).doorbellIndex())
                .toArray();
        return new Hello(machine, localName(), knock, listening(),
                file.identity(), regionTableFile.identity(), linkFile, ShmConnection.receiveDepths(options), doorbells);
    }

    // ---- the end ----

    @Override
    protected synchronized List<AutoCloseable> holdings() {
        List<AutoCloseable> held = new ArrayList<>(completionQueues.values());
        held.addAll(regions.values());
        held.addAll(List.of(file, regionTableFile, ownFiles));
        if (door != null) {
            held.add(door);
        }
        return held;
    }
}
