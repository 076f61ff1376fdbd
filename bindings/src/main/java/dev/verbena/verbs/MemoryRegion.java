package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Objects;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_mr;
import dev.verbena.verbs.abi.ibv_sge;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.InlineVerbs;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * Memory that the device may reach; peers name it by (address, rkey), own requests by (address, lkey).
 *
 * <p><b>Owner:</b> whoever registered it, to be closed when no request that names it is outstanding; a peer's later
 * access fails. <b>Threading:</b> thread-safe.
 *
 * <p>Source: ibv_reg_mr(3), ibv_dereg_mr(3).
 */
public final class MemoryRegion extends VerbsObject {
    static final long PAGE_BYTE_SIZE = 4096;
    /** SIZE_MAX. */
    private static final long ALL_BYTES = -1;
    /** An element's length has 32 bits. */
    private static final long ADVISED_BYTE_SIZE_MAX = 1L << 30;

    private final ProtectionDomain domain;
    private final MemorySegment region;
    private final MemorySegment memory;
    private final Arena arena;
    private final long byteSize;
    private final long remoteAddress;
    /** Whether it is another process's, too. */
    private final boolean isImported;
    // Plain: whoever changes them has to see to it that nobody uses them meanwhile, and each request asks for the lkey.
    private int lkey;
    private int rkey;

    MemoryRegion(ProtectionDomain domain, MemorySegment region, MemorySegment memory, Arena arena,
            long byteSize, long remoteAddress) {
        this(domain, region, memory, arena, byteSize, remoteAddress, false);
    }

    private MemoryRegion(ProtectionDomain domain, MemorySegment region, MemorySegment memory, Arena arena,
            long byteSize, long remoteAddress, boolean isImported) {
        super("memory region of bytes=" + byteSize + " at " + domain.context(), domain);
        this.domain = domain;
        this.region = region.reinterpret(ibv_mr.sizeof());
        this.memory = memory;
        this.arena = arena;
        this.byteSize = byteSize;
        this.remoteAddress = remoteAddress;
        this.isImported = isImported;
        readKeys();
    }

    private void readKeys() {
        lkey = ibv_mr.lkey(region);
        rkey = ibv_mr.rkey(region);
    }

    /** The arena, unless it is null, is closed with the region. */
    static MemoryRegion register(ProtectionDomain domain, MemorySegment memory, Arena arena, Set<AccessFlag> access) {
        boolean writable = access.contains(AccessFlag.LOCAL_WRITE) || access.contains(AccessFlag.REMOTE_WRITE)
                || access.contains(AccessFlag.REMOTE_ATOMIC);
        if (!memory.isNative() || memory.byteSize() == 0 || writable && memory.isReadOnly()) {
            throw new IllegalArgumentException("cannot register memory of bytes=" + memory.byteSize() + " native="
                    + memory.isNative() + " readOnly=" + memory.isReadOnly() + " with access=" + access
                    + "; give off-heap memory that may be accessed so");
        }
        long remoteAddress = access.contains(AccessFlag.ZERO_BASED) ? 0 : memory.address();
        // ibv_reg_mr is a macro over this function.
        MemorySegment region = NativeCall.pointer("ibv_reg_mr",
                () -> domain.context().on() + ", bytes=" + memory.byteSize() + ", access=" + access,
                capture -> (MemorySegment) LibIbverbs.RegMr.HANDLE.invokeExact(capture, domain.pointer(), memory,
                        memory.byteSize(), remoteAddress, AccessFlag.bits(access)));
        return new MemoryRegion(domain, region, memory, arena, memory.byteSize(), remoteAddress);
    }

    /** The descriptor may be closed afterwards. */
    static MemoryRegion registerDmabuf(ProtectionDomain domain, int fd, long offset, long byteSize,
            long remoteAddress, Set<AccessFlag> access) {
        MemorySegment region = NativeCall.pointer("ibv_reg_dmabuf_mr",
                () -> domain.context().on() + ", fd=" + fd + ", offset=" + offset + ", bytes=" + byteSize + ", access="
                        + access,
                capture -> (MemorySegment) LibIbverbs.RegDmabufMr.HANDLE.invokeExact(capture, domain.pointer(), offset,
                        byteSize, remoteAddress, fd, AccessFlag.bits(access)));
        return new MemoryRegion(domain, region, MemorySegment.NULL, null, byteSize, remoteAddress);
    }

    static MemoryRegion importFrom(ProtectionDomain domain, int handle, long remoteAddress) {
        MemorySegment region = NativeCall.pointer("ibv_import_mr", () -> domain.context().on() + ", handle=" + handle,
                capture -> (MemorySegment) LibIbverbs.ImportMr.HANDLE.invokeExact(capture, domain.pointer(), handle));
        return new MemoryRegion(domain, region, MemorySegment.NULL, null,
                ibv_mr.length(region.reinterpret(ibv_mr.sizeof())), remoteAddress, true);
    }

    /** With the address NULL and the largest length that there is. */
    static MemoryRegion registerAddressSpace(ProtectionDomain domain, Set<AccessFlag> access) {
        if (!domain.context().queryExtended().hasImplicitOnDemandPaging()) {
            throw new VerbsException("ibv_reg_mr", domain.context().on() + ", bytes=all", EOPNOTSUPP(),
                    "the device has no implicit on-demand paging: register the memory that it shall reach");
        }
        int bits = AccessFlag.bits(access) | IBV_ACCESS_ON_DEMAND();
        MemorySegment region = NativeCall.pointer("ibv_reg_mr",
                () -> domain.context().on() + ", bytes=all, access=" + access,
                capture -> (MemorySegment) LibIbverbs.RegMr.HANDLE.invokeExact(capture, domain.pointer(),
                        MemorySegment.NULL,
                        ALL_BYTES, 0L, bits));
        return new MemoryRegion(domain, region, MemorySegment.NULL, null, Long.MAX_VALUE, 0);
    }

    /**
     * Says what is about to be done with a part of a region that is registered ON_DEMAND.
     *
     * @param waits whether to return only when it is done; else it is done some time, and an error stays unknown
     * @throws IndexOutOfBoundsException if the part is not within the region
     * @throws VerbsException EOPNOTSUPP where the device's provider has no such advice, as soft-RoCE
     */
    public void advise(MemoryAdvice advice, long offset, long byteSize, boolean waits) {
        Objects.checkFromIndexSize(offset, byteSize, this.byteSize);
        runWhileOpen(() -> {
            try (Arena scratch = Arena.ofConfined()) {
                int count = Math.toIntExact(Math.ceilDiv(byteSize, ADVISED_BYTE_SIZE_MAX));
                MemorySegment elements = ibv_sge.allocateArray(count, scratch);
                for (int i = 0; i < count; i++) {
                    long done = i * ADVISED_BYTE_SIZE_MAX;
                    MemorySegment element = ibv_sge.asSlice(elements, i);
                    ibv_sge.addr(element, remoteAddress + offset + done);
                    ibv_sge.length(element, (int) Math.min(byteSize - done, ADVISED_BYTE_SIZE_MAX));
                    ibv_sge.lkey(element, lkey);
                }
                NativeCall.check("ibv_advise_mr",
                        () -> domain.context().on() + ", advice=" + advice + ", offset=" + offset + ", bytes="
                                + byteSize,
                        InlineVerbs.adviseMemory(domain.context().pointer(), domain.pointer(), advice.code(),
                                waits ? IBV_ADVISE_MR_FLAG_FLUSH() : 0, elements, count));
            }
        });
    }

    /**
     * Changes the rights; the keys may be other ones afterwards. Not while requests that name the region are outstanding,
     * here or at a peer.
     *
     * @throws VerbsException if the device cannot, as soft-RoCE, or refuses; then the region is good for nothing but to be
     *             closed, unless the message says otherwise
     */
    public void changeAccess(Set<AccessFlag> access) {
        runWhileOpen(() -> {
            NativeCall.status("ibv_rereg_mr",
                    () -> domain.context().on() + ", bytes=" + byteSize + ", access=" + access,
                    capture -> (int) LibIbverbs.ReregMr.HANDLE.invokeExact(capture, region,
                            IBV_REREG_MR_CHANGE_ACCESS(),
                            MemorySegment.NULL, MemorySegment.NULL, 0L, AccessFlag.bits(access)));
            readKeys();
        });
    }

    /** What another process names it by: see {@link ProtectionDomain#importRegion}. */
    public int handle() {
        return whileOpen(() -> ibv_mr.handle(region));
    }

    /** The registered bytes; empty for a dmabuf, an imported region and all of the address space, which are reached otherwise. */
    public MemorySegment memory() {
        return memory;
    }

    /** Of all of the address space, the largest number. */
    public long byteSize() {
        return byteSize;
    }

    /** The address under which peers name the first byte; unsigned. */
    public long remoteAddress() {
        return remoteAddress;
    }

    /** The key of own requests. */
    public int lkey() {
        return lkey;
    }

    /** The key that peers present together with an address. */
    public int rkey() {
        return rkey;
    }

    /** Where it was registered; only queue pairs of this domain reach the memory, and let their peers reach it. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /**
     * The address under which own requests name the byte at the offset; unchecked, as the device checks it.
     *
     * @throws IllegalStateException if the region is closed: another one may have got its lkey
     */
    long localAddress(long offset) {
        requireOpen();
        return remoteAddress + offset;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return region;
    }

    @Override
    void destroy() {
        if (isImported) {
            ibv_unimport_mr(region);
            return;
        }
        NativeCall.check("ibv_dereg_mr", () -> domain.context().on() + ", bytes=" + byteSize(), ibv_dereg_mr(region),
                "close the memory windows that are bound to it, or invalidate them, first");
        if (arena != null) {
            UnusedMemory.free(arena);
        }
    }
}
