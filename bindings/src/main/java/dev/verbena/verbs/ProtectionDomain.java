package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_pd;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.InlineVerbs;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * What belongs together: a queue pair reaches, and lets peers reach, the memory regions of its own protection domain
 * only.
 *
 * <p><b>Owner:</b> whoever allocated it, to be closed after all that was made in it. <b>Threading:</b> thread-safe.
 *
 * <p>Source: ibv_alloc_pd(3).
 */
public final class ProtectionDomain extends VerbsObject {
    private final DeviceContext context;
    private final MemorySegment domain;
    /** This, or the one that it is a parent domain of: what decides whether things work together. */
    private final ProtectionDomain root;
    /** Whether it is another process's, too. */
    private final boolean isImported;

    ProtectionDomain(DeviceContext context, MemorySegment domain) {
        this(context, domain, false);
    }

    private ProtectionDomain(DeviceContext context, MemorySegment domain, boolean isImported) {
        super("protection domain of " + context, context);
        this.context = context;
        this.domain = domain;
        this.root = this;
        this.isImported = isImported;
    }

    private ProtectionDomain(ProtectionDomain root, ThreadDomain threadDomain, MemorySegment domain) {
        super("parent domain of " + root, root, threadDomain);
        this.context = root.context;
        this.domain = domain;
        this.root = root;
        this.isImported = false;
    }

    static ProtectionDomain allocate(DeviceContext context) {
        return new ProtectionDomain(context, NativeCall.pointer("ibv_alloc_pd", context::on,
                capture -> (MemorySegment) LibIbverbs.AllocPd.HANDLE.invokeExact(capture, context.pointer())));
    }

    static ProtectionDomain importFrom(DeviceContext context, int handle) {
        return new ProtectionDomain(context, NativeCall.pointer("ibv_import_pd",
                () -> context.on() + ", handle=" + handle,
                capture -> (MemorySegment) LibIbverbs.ImportPd.HANDLE.invokeExact(capture, context.pointer(), handle)),
                true);
    }

    /**
     * The same protection domain for one thread: a parent domain. Queue pairs and the like that are made in it are used by
     * one thread at a time, and work together with all that was made in this one.
     *
     * @throws VerbsException EOPNOTSUPP where the device's provider has none, as soft-RoCE
     */
    public ProtectionDomain allocateParentDomain(ThreadDomain threadDomain) {
        context.requireOwn(threadDomain.context(), threadDomain);
        return root.whileOpen(() -> threadDomain.whileOpen(() -> new ProtectionDomain(root, threadDomain,
                NativeCall.pointer("ibv_alloc_parent_domain", context::on,
                        capture -> InlineVerbs.allocateParentDomain(context.pointer(), capture, root.domain,
                                threadDomain.pointer())))));
    }

    /** What another process names it by: see {@link DeviceContext#importProtectionDomain}. */
    public int handle() {
        return whileOpen(() -> ibv_pd.handle(domain.reinterpret(ibv_pd.sizeof())));
    }

    /**
     * A memory region of another opening of the same device, in a protection domain that was imported from there; when it is
     * closed it goes on there.
     *
     * @param handle that {@link MemoryRegion#handle} gave there
     * @param remoteAddress that {@link MemoryRegion#remoteAddress} gave there: requests here name its bytes by that, too
     * @throws VerbsException EOPNOTSUPP where the device's provider cannot
     */
    public MemoryRegion importRegion(int handle, long remoteAddress) {
        return whileOpen(() -> MemoryRegion.importFrom(this, handle, remoteAddress));
    }

    /**
     * Registers all memory that this process has and will have, without pinning it (implicit on-demand paging). Requests
     * name a byte by its address: {@code element(region, memory.address(), byteSize)}.
     *
     * @throws VerbsException EOPNOTSUPP where the device has no implicit on-demand paging, as software devices; see
     *             {@link ExtendedDeviceAttributes#hasImplicitOnDemandPaging}
     */
    public MemoryRegion registerAddressSpace(Set<AccessFlag> access) {
        return whileOpen(() -> MemoryRegion.registerAddressSpace(this, access));
    }

    /**
     * Registers memory that the caller provides: pins its pages and lets the device reach them.
     *
     * <p>The memory must stay allocated until the region is closed: while it is registered the device writes to its
     * pages whoever else may have got them.
     *
     * @throws IllegalArgumentException if the memory is on the Java heap, empty or read-only while the rights allow writing
     * @throws VerbsException for instance ENOMEM where the limit of locked memory is too low
     */
    public MemoryRegion register(MemorySegment memory, Set<AccessFlag> access) {
        return whileOpen(() -> MemoryRegion.register(this, memory, null, access));
    }

    /**
     * Registers memory of another device, a GPU's for instance, that its driver exported as a dmabuf. The descriptor may be
     * closed afterwards.
     *
     * @param offset within the dmabuf
     * @param remoteAddress that own requests and peers name the first byte by; equal to the offset modulo the page size
     * @throws VerbsException EOPNOTSUPP where the device cannot, as soft-RoCE
     */
    public MemoryRegion registerDmabuf(int fd, long offset, long byteSize, long remoteAddress,
            Set<AccessFlag> access) {
        return whileOpen(() -> MemoryRegion.registerDmabuf(this, fd, offset, byteSize, remoteAddress, access));
    }

    /**
     * Allocates zeroed memory, aligned to a page, and registers it; closing the region frees it, or, while it is an argument
     * of a native call, a later close of another one does.
     */
    public MemoryRegion allocate(long byteSize, Set<AccessFlag> access) {
        if (byteSize <= 0) {
            throw new IllegalArgumentException("byteSize=" + byteSize + ": give a positive number of bytes");
        }
        Arena arena = Arena.ofShared();
        try {
            MemorySegment memory = arena.allocate(byteSize, MemoryRegion.PAGE_BYTE_SIZE);
            return whileOpen(() -> MemoryRegion.register(this, memory, arena, access));
        } catch (Throwable failed) {
            arena.close();
            throw failed;
        }
    }

    /** A queue pair in state RESET; see {@link QueuePair#modify}. */
    public QueuePair createQueuePair(QueuePairOptions options) {
        options.checkContext(context);
        return whileOpen(() -> options.whileOpen(() -> QueuePair.create(this, options)));
    }

    /** A queue pair in state RESET whose sends, of these operations, are built in batches. */
    public ExtendedQueuePair createExtendedQueuePair(QueuePairOptions options, Set<SendOperation> operations) {
        options.checkContext(context);
        return whileOpen(() -> options.whileOpen(() -> ExtendedQueuePair.create(this, options, operations)));
    }

    /**
     * Receives that several queue pairs share.
     *
     * @param depth receives that may be posted
     * @param elementCountMax scatter elements of each
     */
    public SharedReceiveQueue createSharedReceiveQueue(int depth, int elementCountMax) {
        return whileOpen(() -> SharedReceiveQueue.create(this, depth, elementCountMax));
    }

    /** The way to a port, for datagrams. */
    public AddressHandle createAddressHandle(AddressVector vector) {
        return whileOpen(() -> AddressHandle.create(this, vector));
    }

    /** A window that can be bound to memory regions of this domain. */
    public MemoryWindow allocateMemoryWindow(MemoryWindowType type) {
        return whileOpen(() -> MemoryWindow.allocate(this, type));
    }

    /** @throws IllegalArgumentException if the object was made in another domain */
    void requireOwn(ProtectionDomain other, VerbsObject object) {
        if (other.root != root) {
            throw new IllegalArgumentException(
                    object + " belongs to another protection domain than it is to be used in;"
                            + " make both in one ProtectionDomain");
        }
    }

    /** The opening of the device that it is of; what was made from another opening of the same device does not work with it. */
    public DeviceContext context() {
        return context;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return domain;
    }

    @Override
    void destroy() {
        if (isImported) {
            ibv_unimport_pd(domain);
        } else {
            NativeCall.check("ibv_dealloc_pd", context::on, ibv_dealloc_pd(domain));
        }
    }
}
