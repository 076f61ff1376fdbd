package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_mr;

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

    private final ProtectionDomain domain;
    private final MemorySegment region;
    private final MemorySegment memory;
    private final Arena arena;
    private final long remoteAddress;
    private final int lkey;
    private final int rkey;

    private MemoryRegion(ProtectionDomain domain, MemorySegment region, MemorySegment memory, Arena arena,
            long remoteAddress) {
        super("memory region of bytes=" + memory.byteSize() + " at " + domain.context(), domain);
        this.domain = domain;
        this.region = region.reinterpret(ibv_mr.sizeof());
        this.memory = memory;
        this.arena = arena;
        this.remoteAddress = remoteAddress;
        this.lkey = ibv_mr.lkey(this.region);
        this.rkey = ibv_mr.rkey(this.region);
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
                capture -> (MemorySegment) LibIbverbs.REG_MR.invokeExact(capture, domain.pointer(), memory,
                        memory.byteSize(), remoteAddress, AccessFlag.bits(access)));
        return new MemoryRegion(domain, region, memory, arena, remoteAddress);
    }

    /** The registered bytes. */
    public MemorySegment memory() {
        return memory;
    }

    public long byteSize() {
        return memory.byteSize();
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
        NativeCall.check("ibv_dereg_mr", () -> domain.context().on() + ", bytes=" + byteSize(), ibv_dereg_mr(region));
        if (arena != null) {
            arena.close();
        }
    }
}
