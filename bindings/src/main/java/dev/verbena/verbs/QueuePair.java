package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.Set;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_ece;
import dev.verbena.verbs.abi.ibv_gid;
import dev.verbena.verbs.abi.ibv_mw_bind;
import dev.verbena.verbs.abi.ibv_mw_bind_info;
import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_qp_attr;
import dev.verbena.verbs.abi.ibv_qp_cap;
import dev.verbena.verbs.abi.ibv_qp_init_attr;
import dev.verbena.verbs.bridge.QueuePairMaker;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.InlineVerbs;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * A send queue and a receive queue.
 *
 * <p>Requests take effect in the order posted. A slot of the send queue is free again when a later signaled request has
 * completed: signal at least once per depth.
 *
 * <p><b>Owner:</b> whoever created it. <b>Threading:</b> thread-safe, but one thread posts sends at a time and one
 * receives.
 *
 * <p>Source: ibv_create_qp(3), ibv_modify_qp(3), ibv_post_send(3), ibv_post_recv(3).
 */
public sealed class QueuePair extends VerbsObject permits ExtendedQueuePair {
    private static final int RESET = IBV_QPS_RESET();
    private static final int READY_TO_SEND = IBV_QPS_RTS();

    private final ProtectionDomain domain;
    /** Whose queue pair it is, or null. */
    private final QueuePairMaker maker;
    private final QueuePairType type;
    private final MemorySegment pair;
    private final int number;
    private final DataPath dataPath;
    private final MemorySegment postSend;
    private final MemorySegment postReceive;
    private final QueueLimits sendLimits;
    private final QueueLimits receiveLimits;
    /** Asked before the provider is: soft-iWARP's writes to a receive queue that is not there. */
    private final boolean takesNoReceives;
    /**
     * The state that events of the connection manager tell of, on iWARP: there the kernel moves the queue pair, and
     * libibverbs, which keeps the state otherwise, is not told. Written with librdmacm's lock or by modify; plain, since
     * each post reads it.
     */
    private int reached = RESET;

    QueuePair(ProtectionDomain domain, QueuePairOptions options, MemorySegment pair, MemorySegment capacities) {
        this(domain, null, options, pair, capacities);
    }

    private QueuePair(ProtectionDomain domain, QueuePairMaker maker, QueuePairOptions options, MemorySegment pair,
            MemorySegment capacities) {
        super("queue pair " + ibv_qp.qp_num(pair) + " of " + domain.context(),
                maker == null ? null : maker.lifetime(), domain, options.sendQueue(),
                options.receiveQueue(), options.sharedReceiveQueue());
        this.domain = domain;
        this.maker = maker;
        this.type = options.type();
        this.pair = pair;
        this.number = ibv_qp.qp_num(pair);
        this.dataPath = domain.context().dataPath();
        MemorySegment operations = ibv_context.ops(domain.context().pointer());
        this.postSend = ibv_context_ops.post_send(operations);
        this.postReceive = ibv_context_ops.post_recv(operations);
        this.sendLimits = new QueueLimits(ibv_qp_cap.max_send_wr(capacities), ibv_qp_cap.max_send_sge(capacities),
                ibv_qp_cap.max_inline_data(capacities));
        this.receiveLimits = new QueueLimits(ibv_qp_cap.max_recv_wr(capacities), ibv_qp_cap.max_recv_sge(capacities),
                0);
        this.takesNoReceives = options.sharedReceiveQueue() != null;
        domain.context().events().add(pair, this);
    }

    static QueuePair create(ProtectionDomain domain, QueuePairOptions options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = attributes(options, arena);
            MemorySegment pair = NativeCall.pointer("ibv_create_qp", () -> domain.context().on() + ", " + options,
                    capture -> (MemorySegment) LibIbverbs.CreateQp.HANDLE.invokeExact(capture, domain.pointer(),
                            attributes));
            return new QueuePair(domain, options, pair.reinterpret(ibv_qp.sizeof()),
                    ibv_qp_init_attr.cap(attributes));
        }
    }

    /** One that librdmacm makes, moves from state to state, and destroys. */
    static QueuePair create(ProtectionDomain domain, QueuePairMaker maker, QueuePairOptions options) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = attributes(options, arena);
            MemorySegment pair = maker.create(domain.pointer(), attributes);
            return new QueuePair(domain, maker, options, pair.reinterpret(ibv_qp.sizeof()),
                    ibv_qp_init_attr.cap(attributes));
        }
    }

    private static MemorySegment attributes(QueuePairOptions options, Arena arena) {
        MemorySegment attributes = ibv_qp_init_attr.allocate(arena);
        write(options, attributes);
        return attributes;
    }

    /** Into a zeroed struct ibv_qp_init_attr, or one that begins like it. */
    static void write(QueuePairOptions options, MemorySegment attributes) {
        ibv_qp_init_attr.send_cq(attributes, options.sendQueue().pointer());
        ibv_qp_init_attr.recv_cq(attributes, options.receiveQueue().pointer());
        if (options.sharedReceiveQueue() != null) {
            ibv_qp_init_attr.srq(attributes, options.sharedReceiveQueue().pointer());
        }
        ibv_qp_init_attr.qp_type(attributes, options.type().code());
        ibv_qp_init_attr.sq_sig_all(attributes, options.signalsAll() ? 1 : 0);
        MemorySegment capacities = ibv_qp_init_attr.cap(attributes);
        ibv_qp_cap.max_send_wr(capacities, options.sendDepth());
        ibv_qp_cap.max_recv_wr(capacities, options.receiveDepth());
        ibv_qp_cap.max_send_sge(capacities, options.sendElementCountMax());
        ibv_qp_cap.max_recv_sge(capacities, options.receiveElementCountMax());
        ibv_qp_cap.max_inline_data(capacities, options.inlineByteSizeMax());
    }

    /** What peers call it by; 24 bits. */
    public int number() {
        return number;
    }

    /** As it was created, for good; it settles which operations may be posted. */
    public QueuePairType type() {
        return type;
    }

    /** Sends that may be outstanding, at least as many as asked for. */
    public int sendDepth() {
        return sendLimits.depth();
    }

    /** Receives that may be posted, at least as many as asked for. */
    public int receiveDepth() {
        return receiveLimits.depth();
    }

    /** Bytes of inline data, at least as many as asked for. */
    public int inlineByteSizeMax() {
        return sendLimits.inlineByteSizeMax();
    }

    /** Where it was created; its own requests and those of its peer reach memory regions of this domain only. */
    public ProtectionDomain protectionDomain() {
        return domain;
    }

    /** Whether the connection manager made it, which moves it from state to state. */
    boolean isConnectionManaged() {
        return maker != null;
    }

    /**
     * Changes attributes, the state among them; all the way to READY_TO_SEND {@link DirectConnection} goes at once. On iWARP
     * the connection manager connects, and what it does not need need not be given.
     *
     * @throws IllegalArgumentException if an attribute is missing that the change of state takes; the message names it
     */
    public void modify(QueuePairAttributes attributes) {
        runWhileOpen(() -> {
            if (!isIwarp()) {
                QueuePairTransitions.check(type, QueuePairState.of(ibv_qp.state(pair)), attributes);
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment struct = ibv_qp_attr.allocate(arena);
                attributes.write(struct);
                NativeCall.check("ibv_modify_qp", () -> on() + ", attributes=" + attributes.given(),
                        ibv_modify_qp(pair, struct, attributes.mask()));
            }
            if (attributes.state() == QueuePairState.RESET) {
                reached = RESET;
            }
        });
    }

    private boolean isIwarp() {
        return domain.context().transport() == TransportType.IWARP;
    }

    /**
     * Called with librdmacm's lock when an event tells that the connection stands or is gone. Elsewhere than on iWARP it
     * is librdmacm or the program that moves the queue pair.
     */
    void reach(QueuePairState state) {
        if (isIwarp()) {
            reached = state.code();
        }
    }

    /**
     * All attributes as the device has them now. On soft-iWARP the state is that of the events taken so far, and of what
     * iWARP does not have the values mean nothing.
     */
    public QueuePairAttributes query() {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_qp_attr.allocate(arena);
                MemorySegment initial = ibv_qp_init_attr.allocate(arena);
                boolean tellsState = domain.context().tellsQueuePairStates();
                // libibverbs keeps what is asked for with STATE.
                NativeCall.check("ibv_query_qp", this::on,
                        ibv_query_qp(pair, attributes, IBV_QP_CAP() | (tellsState ? IBV_QP_STATE() : 0), initial));
                if (!tellsState) {
                    ibv_qp_attr.qp_state(attributes, Math.max(ibv_qp.state(pair), reached));
                }
                return QueuePairAttributes.read(attributes);
            }
        });
    }

    /**
     * Whether the bytes of a write become visible in the order of their addresses, so that its last ones tell that all have
     * come. Some devices know it only from READY_TO_SEND on.
     */
    public boolean writesInOrder() {
        return whileOpen(() -> ibv_query_qp_data_in_order(pair, IBV_WR_RDMA_WRITE(), 0) != 0);
    }

    /**
     * What this side offers to its peer.
     *
     * @throws VerbsException EOPNOTSUPP where the device knows none, as soft-RoCE
     */
    public EnhancedConnection enhancedConnection() {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment struct = ibv_ece.allocate(arena);
                NativeCall.check("ibv_query_ece", this::on, ibv_query_ece(pair, struct));
                return EnhancedConnection.read(struct);
            }
        });
    }

    /** Takes what the peer offers, before READY_TO_RECEIVE; what is taken of it {@link #enhancedConnection()} says then. */
    public void enhance(EnhancedConnection offered) {
        runWhileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                NativeCall.check("ibv_set_ece", () -> on() + ", " + offered, ibv_set_ece(pair, offered.write(arena)));
            }
        });
    }

    /** The state now. */
    public QueuePairState state() {
        return query().state();
    }

    /**
     * Posts requests {@code first} to {@code first + count - 1} as one list.
     *
     * @return how many were posted; fewer than {@code count} means that the send queue is full
     * @throws VerbsException with EINVAL in a state before READY_TO_SEND, then nothing is posted; or if the provider
     *             refuses a request, one that would never fit among them, then those before it are posted
     * @throws IllegalStateException if an address handle or memory window of one is closed; none is posted
     * @throws IllegalArgumentException if one belongs to another protection domain, or a datagram has no destination; none
     *             is posted
     */
    public int post(SendRequests requests, int first, int count) {
        if (count == 0) {
            return 0;
        }
        int last = requests.last(first, count);
        if (requests.namesObjects() || type == QueuePairType.UNRELIABLE_DATAGRAM) {
            return postHolding(requests, first, last);
        }
        int errno = postList(requests, first, last);
        return errno == 0 ? count
                : requests.refused("ibv_post_send", on(), errno, requests.takeBadIndex(), first, sendLimits);
    }

    /** Apart, since it looks at each request: the provider follows pointers in it. */
    private int postHolding(SendRequests requests, int first, int last) {
        int count = last - first + 1;
        requests.hold(this, first, count);
        try {
            int errno = postList(requests, first, last);
            int end = errno == 0 ? last + 1 : requests.takeBadIndex();
            requests.posted(first, end - first);
            return errno == 0 ? count : requests.refused("ibv_post_send", on(), errno, end, first, sendLimits);
        } finally {
            requests.release(first, count);
        }
    }

    private int postList(SendRequests requests, int first, int last) {
        Guard guard = guard();
        guard.enter(Guard.SEND);
        if (!isReadyToSend()) {
            guard.leave(Guard.SEND);
            throw wrongState("ibv_post_send", QueuePairState.READY_TO_SEND);
        }
        int errno = requests.post(dataPath, postSend, pair.address(), first, last);
        guard.leave(Guard.SEND);
        return errno;
    }

    /**
     * Posts a request to open a part of the region to peers, through a window of type 1; the window's rkey is then the new
     * one. With no bytes at all it takes back what was bound before.
     *
     * @param access what peers may do; the region must allow MEMORY_WINDOW_BIND, and LOCAL_WRITE for anything but reads
     * @param isSignaled whether its success is reported
     */
    public void bind(long workRequestId, MemoryWindow window, MemoryRegion region, long offset, long byteSize,
            Set<AccessFlag> access, boolean isSignaled) {
        window.requireType(MemoryWindowType.TYPE_1);
        domain.requireOwn(window.protectionDomain(), window);
        domain.requireOwn(region.protectionDomain(), region);
        runWhileOpen(() -> window.runWhileOpen(() -> region.runWhileOpen(() -> {
            if (!isReadyToSend()) {
                throw wrongState("ibv_bind_mw", QueuePairState.READY_TO_SEND);
            }
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment bind = ibv_mw_bind.allocate(arena);
                ibv_mw_bind.wr_id(bind, workRequestId);
                ibv_mw_bind.send_flags(bind, isSignaled ? IBV_SEND_SIGNALED() : 0);
                MemorySegment info = ibv_mw_bind.bind_info(bind);
                ibv_mw_bind_info.mr(info, region.pointer());
                ibv_mw_bind_info.addr(info, region.localAddress(offset));
                ibv_mw_bind_info.length(info, byteSize);
                ibv_mw_bind_info.mw_access_flags(info, AccessFlag.bits(access));
                NativeCall.check("ibv_bind_mw", () -> on() + ", bytes=" + byteSize + ", access=" + access,
                        InlineVerbs.bindMemoryWindow(domain.context().pointer(), pair, window.pointer(), bind));
            }
        })));
    }

    /** Takes part in a multicast group: datagrams to its GID arrive here too. Of datagram queue pairs only. */
    public void attachMulticast(Gid group, int lid) {
        runWhileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                NativeCall.check("ibv_attach_mcast", () -> on() + ", group=" + group + ", lid=" + lid,
                        ibv_attach_mcast(pair, group.write(ibv_gid.allocate(arena)), (short) lid));
            }
        });
    }

    /** Leaves the group. */
    public void detachMulticast(Gid group, int lid) {
        runWhileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                NativeCall.check("ibv_detach_mcast", () -> on() + ", group=" + group + ", lid=" + lid,
                        ibv_detach_mcast(pair, group.write(ibv_gid.allocate(arena)), (short) lid));
            }
        });
    }

    /**
     * Posts receives {@code first} to {@code first + count - 1} as one list.
     *
     * @return how many were posted; fewer than {@code count} means that the receive queue is full
     * @throws VerbsException with EINVAL in state RESET or with a shared receive queue, then nothing is posted; or if the
     *             provider refuses a receive, then those before it are posted
     */
    public int post(ReceiveRequests requests, int first, int count) {
        if (count == 0) {
            return 0;
        }
        int last = requests.last(first, count);
        Guard guard = guard();
        guard.enter(Guard.RECEIVE);
        if (takesNoReceives || ibv_qp.state(pair) == RESET) {
            guard.leave(Guard.RECEIVE);
            throw takesNoReceives ? sharesReceives() : wrongState("ibv_post_recv", QueuePairState.INIT);
        }
        int errno = requests.post(dataPath, postReceive, pair.address(), first, last);
        guard.leave(Guard.RECEIVE);
        return errno == 0 ? count
                : requests.refused("ibv_post_recv", on(), errno, requests.takeBadIndex(), first, receiveLimits);
    }

    /**
     * Asked before the provider is: those of software devices queue a request that the kernel then refuses, and execute
     * it once the state allows.
     */
    final boolean isReadyToSend() {
        return ibv_qp.state(pair) >= READY_TO_SEND || reached >= READY_TO_SEND;
    }

    final VerbsException wrongState(String verb, QueuePairState needed) {
        return new VerbsException(verb, on() + ", posted=0", EINVAL(), "bring the queue pair to state " + needed
                + " first");
    }

    private VerbsException sharesReceives() {
        return new VerbsException("ibv_post_recv", on() + ", posted=0", EINVAL(),
                "it has a shared receive queue: post receives there");
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return pair;
    }

    String on() {
        return domain.context().on() + ", queuePair=" + number;
    }

    @Override
    void destroy() {
        AsyncEvents events = domain.context().events();
        if (maker != null) {
            maker.destroy(destroy -> events.destroy(pair, destroy));
        } else {
            events.destroy(pair, () -> NativeCall.check("ibv_destroy_qp", this::on, ibv_destroy_qp(pair),
                    "a queue pair leaves its multicast groups first: detachMulticast"));
        }
    }
}
