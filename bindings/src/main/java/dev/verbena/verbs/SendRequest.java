package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_mw_bind_info;
import dev.verbena.verbs.abi.ibv_send_wr;
import dev.verbena.verbs.ffi.RawMemory;

/**
 * One request of {@link SendRequests}. The method that names the operation comes first and forgets all that was there;
 * elements and flags follow.
 *
 * <p>Unsigned 32-bit sizes and keys are Java ints. Bounds and rights are checked by the device, which reports them in
 * the completion.
 *
 * <p><b>Owner:</b> its {@link SendRequests}. <b>Threading:</b> as those.
 */
public final class SendRequest extends WorkRequest {
    private static final long OPCODE = ibv_send_wr.opcode$offset();
    private static final long FLAGS = ibv_send_wr.send_flags$offset();
    private static final long IMMEDIATE = ibv_send_wr.imm_data$offset();
    private static final long WR = ibv_send_wr.wr$offset();
    private static final long RDMA_ADDRESS = WR + ibv_send_wr.wr.rdma.remote_addr$offset();
    private static final long RDMA_RKEY = WR + ibv_send_wr.wr.rdma.rkey$offset();
    private static final long ATOMIC_COMPARE_ADD = WR + ibv_send_wr.wr.atomic.compare_add$offset();
    private static final long ATOMIC_SWAP = WR + ibv_send_wr.wr.atomic.swap$offset();
    private static final long ATOMIC_RKEY = WR + ibv_send_wr.wr.atomic.rkey$offset();
    private static final long UD_HANDLE = WR + ibv_send_wr.wr.ud.ah$offset();
    private static final long UD_QUEUE_PAIR = WR + ibv_send_wr.wr.ud.remote_qpn$offset();
    private static final long UD_QUEUE_KEY = WR + ibv_send_wr.wr.ud.remote_qkey$offset();
    private static final long BIND = ibv_send_wr.bind_mw$offset();
    private static final long BIND_WINDOW = BIND + ibv_send_wr.bind_mw.mw$offset();
    private static final long BIND_RKEY = BIND + ibv_send_wr.bind_mw.rkey$offset();
    private static final long BIND_INFO = BIND + ibv_send_wr.bind_mw.bind_info$offset();
    private static final long BIND_REGION = BIND_INFO + ibv_mw_bind_info.mr$offset();
    private static final long BIND_ADDRESS = BIND_INFO + ibv_mw_bind_info.addr$offset();
    private static final long BIND_LENGTH = BIND_INFO + ibv_mw_bind_info.length$offset();
    private static final long BIND_ACCESS = BIND_INFO + ibv_mw_bind_info.mw_access_flags$offset();

    private static final int NO_OPERATION = -1;

    private final SendRequests requests;
    private final MemorySegment inlineData;
    private final int inlineByteSizeMax;
    private long inlineByteSize;
    /** Objects whose pointers are in the request, which the provider follows when it is posted; null for none. */
    private AddressHandle destination;
    private MemoryWindow window;
    private MemoryRegion windowRegion;

    /**
     * @param struct a struct ibv_send_wr
     * @param elements room for struct ibv_sge
     * @param inlineData room for inline data
     */
    SendRequest(SendRequests requests, MemorySegment struct, MemorySegment elements, MemorySegment inlineData) {
        super(struct, elements);
        this.requests = requests;
        this.inlineData = inlineData;
        inlineByteSizeMax = (int) inlineData.byteSize();
    }

    /** Writes the elements or inline data to the peer's memory from the address on, of which its program learns nothing. */
    public SendRequest write(long workRequestId, long remoteAddress, int rkey) {
        return begin(workRequestId, IBV_WR_RDMA_WRITE()).remote(remoteAddress, rkey);
    }

    /** A write that also takes a receive of the peer's, whose completion brings the 32 bits and tells that the data is there. */
    public SendRequest writeWithImmediate(long workRequestId, long remoteAddress, int rkey, int immediate) {
        return begin(workRequestId, IBV_WR_RDMA_WRITE_WITH_IMM()).remote(remoteAddress, rkey).immediate(immediate);
    }

    /** Reads the peer's memory from the address on into the elements, whose regions need LOCAL_WRITE; reliable queue pairs only. */
    public SendRequest read(long workRequestId, long remoteAddress, int rkey) {
        return begin(workRequestId, IBV_WR_RDMA_READ()).remote(remoteAddress, rkey);
    }

    /** Sends the elements or inline data, as one message, into the next receive that the peer has posted. */
    public SendRequest send(long workRequestId) {
        return begin(workRequestId, IBV_WR_SEND());
    }

    /** A send whose completion at the peer brings the 32 bits: {@link WorkCompletions#immediate} there. */
    public SendRequest sendWithImmediate(long workRequestId, int immediate) {
        return begin(workRequestId, IBV_WR_SEND_WITH_IMM()).immediate(immediate);
    }

    /** A send that makes the peer's rkey, of a memory window of type 2, invalid on arrival. */
    public SendRequest sendWithInvalidate(long workRequestId, int rkey) {
        SendRequest request = begin(workRequestId, IBV_WR_SEND_WITH_INV());
        RawMemory.putInt(this, at, IMMEDIATE, rkey);
        return request;
    }

    /** Makes an rkey of this side, of a memory window of type 2, invalid. */
    public SendRequest invalidate(long workRequestId, int rkey) {
        SendRequest request = begin(workRequestId, IBV_WR_LOCAL_INV());
        RawMemory.putInt(this, at, IMMEDIATE, rkey);
        return request;
    }

    /** Swaps the 8 bytes there if they are as expected; the old value comes into the one element. */
    public SendRequest compareAndSwap(long workRequestId, long remoteAddress, int rkey, long expected, long swap) {
        return atomic(workRequestId, IBV_WR_ATOMIC_CMP_AND_SWP(), remoteAddress, rkey, expected, swap);
    }

    /** Adds to the 8 bytes there; the old value comes into the one element. */
    public SendRequest fetchAndAdd(long workRequestId, long remoteAddress, int rkey, long addend) {
        return atomic(workRequestId, IBV_WR_ATOMIC_FETCH_AND_ADD(), remoteAddress, rkey, addend, 0);
    }

    /**
     * Opens a part of the region to the peer, through a window of type 2; from the post on the window's rkey is the new
     * one. What was bound before must have been invalidated.
     *
     * @param access what the peer may do; the region must allow MEMORY_WINDOW_BIND, and LOCAL_WRITE for anything but reads
     */
    public SendRequest bind(long workRequestId, MemoryWindow window, MemoryRegion region, long offset, long byteSize,
            Set<AccessFlag> access) {
        window.requireType(MemoryWindowType.TYPE_2);
        begin(workRequestId, IBV_WR_BIND_MW());
        RawMemory.putLong(this, at, BIND_WINDOW, window.pointer().address());
        RawMemory.putInt(this, at, BIND_RKEY, window.nextRkey());
        RawMemory.putLong(this, at, BIND_REGION, region.pointer().address());
        RawMemory.putLong(this, at, BIND_ADDRESS, region.localAddress(offset));
        RawMemory.putLong(this, at, BIND_LENGTH, byteSize);
        RawMemory.putInt(this, at, BIND_ACCESS, AccessFlag.bits(access));
        this.window = window;
        windowRegion = region;
        requests.nameObjects();
        return this;
    }

    /**
     * Where a datagram goes.
     *
     * @param queuePairNumber of the peer's queue pair, 24 bits
     * @param queueKey that it was given
     */
    public SendRequest to(AddressHandle handle, int queuePairNumber, int queueKey) {
        RawMemory.putLong(this, at, UD_HANDLE, handle.pointer().address());
        RawMemory.putInt(this, at, UD_QUEUE_PAIR, queuePairNumber);
        RawMemory.putInt(this, at, UD_QUEUE_KEY, queueKey);
        destination = handle;
        requests.nameObjects();
        return this;
    }

    /**
     * Adds a gather element, or scatter element for what a read or an atomic returns.
     *
     * @throws IllegalArgumentException if there is no room for another, or it is beyond 4 GiB - 1
     */
    public SendRequest element(MemoryRegion region, long offset, long byteSize) {
        addElement(region.localAddress(offset), byteSize, region.lkey());
        return this;
    }

    /** Copies the bytes into the request, instead of elements; the source may be used again at once. */
    public SendRequest inline(MemorySegment data) {
        return inline(data, 0, data.byteSize());
    }

    /**
     * Copies bytes of the source behind those that are inline already.
     *
     * @throws IllegalArgumentException if there is no room for them, or there are elements
     * @throws IndexOutOfBoundsException if the source has no such bytes
     */
    public SendRequest inline(MemorySegment source, long offset, long byteSize) {
        if (byteSize > inlineByteSizeMax - inlineByteSize || elementCount() > 0 && inlineByteSize == 0) {
            throw new IllegalArgumentException("inline bytes=" + (inlineByteSize + byteSize)
                    + " do not fit into inlineByteSizeMax=" + inlineByteSizeMax + " beside elements=" + elementCount()
                    + ": make the requests with more room, and give inline data alone");
        }
        MemorySegment.copy(source, offset, inlineData, inlineByteSize, byteSize);
        inlineByteSize += byteSize;
        forgetElements();
        addElement(inlineData.address(), inlineByteSize, 0);
        return flag(IBV_SEND_INLINE());
    }

    /** Its success is reported; without it only its failure is. */
    public SendRequest signaled() {
        return flag(IBV_SEND_SIGNALED());
    }

    /** The peer's completion counts as solicited. */
    public SendRequest solicited() {
        return flag(IBV_SEND_SOLICITED());
    }

    /** Waits until earlier reads and atomics are done. */
    public SendRequest fenced() {
        return flag(IBV_SEND_FENCE());
    }

    /** A request that names no operation. */
    SendRequest clear() {
        return begin(0, NO_OPERATION);
    }

    private SendRequest begin(long workRequestId, int opcode) {
        beginElements(workRequestId);
        RawMemory.putInt(this, at, OPCODE, opcode);
        RawMemory.putInt(this, at, FLAGS, 0);
        // A stale immediate makes some requests invalid.
        RawMemory.putInt(this, at, IMMEDIATE, 0);
        inlineByteSize = 0;
        destination = null;
        window = null;
        windowRegion = null;
        return this;
    }

    /**
     * Keeps open what the provider will look at; {@link #release} must follow.
     *
     * @throws IllegalStateException if it is closed
     * @throws IllegalArgumentException if it belongs to another protection domain, or a datagram has no destination
     */
    void hold(QueuePair pair) {
        ProtectionDomain domain = pair.protectionDomain();
        if ((pair.type() == QueuePairType.UNRELIABLE_DATAGRAM) != (destination != null)) {
            throw new IllegalArgumentException("request id=" + workRequestId() + " of " + pair
                    + " has destination=" + destination
                    + ": give SendRequest.to to each datagram, and to nothing else");
        }
        if (destination != null) {
            domain.requireOwn(destination.protectionDomain(), destination);
            destination.enterCall();
        } else if (window != null) {
            domain.requireOwn(window.protectionDomain(), window);
            domain.requireOwn(windowRegion.protectionDomain(), windowRegion);
            window.enterCall();
            try {
                windowRegion.enterCall();
            } catch (IllegalStateException closed) {
                window.leaveCall();
                throw closed;
            }
        }
    }

    void release() {
        if (destination != null) {
            destination.leaveCall();
        } else if (window != null) {
            window.leaveCall();
            windowRegion.leaveCall();
        }
    }

    /** Called once it is posted, before the release. */
    void posted() {
        if (window != null) {
            window.bound(RawMemory.getInt(this, at, BIND_RKEY));
        }
    }

    private SendRequest remote(long address, int rkey) {
        RawMemory.putLong(this, at, RDMA_ADDRESS, address);
        RawMemory.putInt(this, at, RDMA_RKEY, rkey);
        return this;
    }

    private SendRequest immediate(int immediate) {
        RawMemory.putInt(this, at, IMMEDIATE, Integer.reverseBytes(immediate));
        return this;
    }

    private SendRequest atomic(long workRequestId, int opcode, long remoteAddress, int rkey, long compareOrAdd,
            long swap) {
        begin(workRequestId, opcode).remote(remoteAddress, rkey);
        RawMemory.putLong(this, at, ATOMIC_COMPARE_ADD, compareOrAdd);
        RawMemory.putLong(this, at, ATOMIC_SWAP, swap);
        RawMemory.putInt(this, at, ATOMIC_RKEY, rkey);
        return this;
    }

    // What was filled in, for who builds the request elsewhere.

    /** Null for none. */
    SendOperation operation() {
        return SendOperation.of(RawMemory.getInt(this, at, OPCODE));
    }

    int flags() {
        return RawMemory.getInt(this, at, FLAGS);
    }

    @Override
    long inlineByteSize() {
        return inlineByteSize;
    }

    boolean isInline() {
        return (flags() & IBV_SEND_INLINE()) != 0;
    }

    /** Of a write, read or atomic. */
    long remoteAddress() {
        return RawMemory.getLong(this, at, RDMA_ADDRESS);
    }

    /** Of a write or read. */
    int rkey() {
        return RawMemory.getInt(this, at, RDMA_RKEY);
    }

    int atomicRkey() {
        return RawMemory.getInt(this, at, ATOMIC_RKEY);
    }

    long compareOrAdd() {
        return RawMemory.getLong(this, at, ATOMIC_COMPARE_ADD);
    }

    long swap() {
        return RawMemory.getLong(this, at, ATOMIC_SWAP);
    }

    /** The immediate, in network order, or the rkey to invalidate. */
    int immediateBits() {
        return RawMemory.getInt(this, at, IMMEDIATE);
    }

    AddressHandle destination() {
        return destination;
    }

    int destinationQueuePair() {
        return RawMemory.getInt(this, at, UD_QUEUE_PAIR);
    }

    int destinationQueueKey() {
        return RawMemory.getInt(this, at, UD_QUEUE_KEY);
    }

    MemoryWindow window() {
        return window;
    }

    int bindRkey() {
        return RawMemory.getInt(this, at, BIND_RKEY);
    }

    /** The struct ibv_mw_bind_info. */
    MemorySegment bindInfo() {
        return struct().asSlice(BIND_INFO, ibv_mw_bind_info.sizeof());
    }

    MemorySegment inlineData() {
        return inlineData;
    }

    private SendRequest flag(int flag) {
        RawMemory.putInt(this, at, FLAGS, RawMemory.getInt(this, at, FLAGS) | flag);
        return this;
    }
}
