package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.EnumSet;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_qp_ex;
import dev.verbena.verbs.abi.ibv_qp_init_attr;
import dev.verbena.verbs.abi.ibv_qp_init_attr_ex;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.InlineVerbs;

/**
 * A queue pair whose sends are built in batches, each in the provider's own queue, and become one post.
 *
 * <pre>
 *   pair.begin();
 *   pair.next().write(1, remoteAddress, rkey).element(region, 0, 64);
 *   pair.next().send(2).inline(header).signaled();
 *   pair.complete();
 *
 *             begin           next: builds the request before it
 *   ( idle ) ------&gt; ( begun ) --.
 *      ^  ^             |  ^-----'
 *      |  '---abort-----|
 *      '-----complete---'
 * </pre>
 *
 * <p>There is one request at a time: what {@link #next} returned is taken as it stands by the following next or complete.
 * One that is refused then is not part of the batch; the batch is still to be completed or aborted.
 *
 * <p><b>Owner:</b> whoever created it. <b>Threading:</b> as of any queue pair; a batch is its thread's from begin to
 * complete or abort, and until then the queue pair does not close.
 *
 * <p>Source: ibv_create_qp_ex(3), ibv_wr_post(3).
 */
public final class ExtendedQueuePair extends QueuePair {
    private final Set<SendOperation> operations;
    private final SendRequests requests;
    private final SendRequest request;
    private final WorkRequestBuilder builder;
    /** The provider holds a lock meanwhile, and the guard is entered. Written by the posting thread. */
    private boolean isBegun;
    private boolean isPending;
    private int built;
    /** Windows that the batch binds, each with a call in it until the end, and what their rkeys become then. */
    private final MemoryWindow[] bound;
    private final int[] boundRkeys;
    private int boundCount;

    private ExtendedQueuePair(ProtectionDomain domain, QueuePairOptions options, Set<SendOperation> operations,
            MemorySegment pair, MemorySegment extended, MemorySegment capacities) {
        super(domain, options, pair, capacities);
        this.operations = EnumSet.copyOf(operations);
        // The device checks what it granted, which is more than was asked for only by luck.
        requests = new SendRequests(1, options.sendElementCountMax(), options.inlineByteSizeMax());
        request = requests.get(0);
        builder = new WorkRequestBuilder(extended, request);
        bound = new MemoryWindow[sendDepth()];
        boundRkeys = new int[sendDepth()];
    }

    static ExtendedQueuePair create(ProtectionDomain domain, QueuePairOptions options,
            Set<SendOperation> operations) {
        if (operations.isEmpty()) {
            throw new IllegalArgumentException("operations=[]: name those that the queue pair will be used for");
        }
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_qp_init_attr_ex.allocate(arena);
            // It begins as the classic struct.
            write(options, attributes);
            ibv_qp_init_attr_ex.comp_mask(attributes, IBV_QP_INIT_ATTR_PD() | IBV_QP_INIT_ATTR_SEND_OPS_FLAGS());
            ibv_qp_init_attr_ex.pd(attributes, domain.pointer());
            ibv_qp_init_attr_ex.send_ops_flags(attributes, SendOperation.bits(operations));
            MemorySegment pair = NativeCall.pointer("ibv_create_qp_ex",
                    () -> domain.context().on() + ", " + options + ", operations=" + operations,
                    capture -> InlineVerbs.createExtendedQueuePair(domain.context().pointer(), capture, attributes))
                    .reinterpret(ibv_qp.sizeof());
            MemorySegment extended = ibv_qp_to_qp_ex(pair).reinterpret(ibv_qp_ex.sizeof());
            return new ExtendedQueuePair(domain, options, operations, pair, extended,
                    ibv_qp_init_attr.cap(attributes));
        }
    }

    /** What it was created for. */
    public Set<SendOperation> operations() {
        return EnumSet.copyOf(operations);
    }

    /**
     * Begins a batch; {@link #complete} or {@link #abort} must follow.
     *
     * @throws VerbsException with EINVAL in a state before READY_TO_SEND
     */
    public void begin() {
        requireNotBegun();
        guard().enter(Guard.SEND);
        if (!isReadyToSend()) {
            guard().leave(Guard.SEND);
            throw wrongState("ibv_wr_start", QueuePairState.READY_TO_SEND);
        }
        builder.start();
        isBegun = true;
        isPending = false;
        built = 0;
    }

    /**
     * The next request of the batch, to be filled in.
     *
     * @throws IllegalStateException if the one before it names no operation, one that the queue pair was not created for,
     *             or a closed object
     * @throws IllegalArgumentException if the one before it names a foreign object, or is a datagram without a destination
     */
    public SendRequest next() {
        requireBegun();
        build();
        isPending = true;
        return request.clear();
    }

    /**
     * Posts the batch.
     *
     * @return how many requests were posted; 0 means that the send queue has no room for all of them
     * @throws IllegalStateException as {@link #next}, and the batch stays begun
     * @throws VerbsException if the provider refuses the batch; the device may have taken it all the same
     */
    public int complete() {
        requireBegun();
        build();
        int errno = builder.complete();
        end(errno == 0);
        if (errno == 0) {
            return built;
        }
        // Soft-RoCE says ENOSPC. It says so of too much data as well, but that was checked when the request was filled in.
        if (Math.abs(errno) == ENOMEM() || Math.abs(errno) == ENOSPC()) {
            return 0;
        }
        throw new VerbsException("ibv_wr_complete", on() + ", requests=" + built, Math.abs(errno),
                "look at the queue pair's state");
    }

    /** Posts nothing of the batch. Idempotent. */
    public void abort() {
        if (isBegun) {
            builder.abort();
            end(false);
        }
    }

    private void build() {
        if (!isPending) {
            return;
        }
        isPending = false;
        SendOperation operation = request.operation();
        if (operation == null || !operations.contains(operation)) {
            throw new IllegalStateException("request number=" + (built + 1) + " of a batch of " + this
                    + " has operation=" + operation + ": give each one of " + operations);
        }
        if (protectionDomain().context().provider().name().equals("rxe") && !request.hasEqualElements()) {
            throw new IllegalArgumentException("request id=" + request.workRequestId() + " has elements of different"
                    + " sizes, of which rdma-core 44 takes the first for all on " + protectionDomain().context()
                    + ": post it with QueuePair.post instead");
        }
        request.hold(this);
        try {
            builder.build(operation);
            if (operation == SendOperation.BIND_MEMORY_WINDOW && boundCount < bound.length) {
                request.window().enterCall();
                bound[boundCount] = request.window();
                boundRkeys[boundCount++] = request.bindRkey();
            }
        } finally {
            request.release();
        }
        built++;
    }

    private void end(boolean isPosted) {
        isBegun = false;
        isPending = false;
        while (boundCount > 0) {
            MemoryWindow window = bound[--boundCount];
            bound[boundCount] = null;
            if (isPosted) {
                window.bound(boundRkeys[boundCount]);
            }
            window.leaveCall();
        }
        guard().leave(Guard.SEND);
    }

    private void requireBegun() {
        if (!isBegun) {
            throw new IllegalStateException("no batch of " + this + " is begun; call begin first");
        }
    }

    /** The provider holds a lock from begin to the end, so a second post would wait for itself. */
    private void requireNotBegun() {
        if (isBegun) {
            throw new IllegalStateException("a batch of " + this + " is begun; complete or abort it first");
        }
    }

    @Override
    public int post(SendRequests requests, int first, int count) {
        requireNotBegun();
        return super.post(requests, first, count);
    }

    @Override
    public void bind(long workRequestId, MemoryWindow window, MemoryRegion region, long offset, long byteSize,
            Set<AccessFlag> access, boolean isSignaled) {
        requireNotBegun();
        super.bind(workRequestId, window, region, offset, byteSize, access, isSignaled);
    }

    @Override
    String unfinished() {
        return isBegun ? "a batch is begun; complete or abort it first" : null;
    }
}
