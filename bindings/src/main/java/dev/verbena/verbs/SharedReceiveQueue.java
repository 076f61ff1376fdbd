package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_srq;
import dev.verbena.verbs.abi.ibv_srq_attr;
import dev.verbena.verbs.abi.ibv_srq_init_attr;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * Receives that several queue pairs share.
 *
 * <p><b>Owner:</b> whoever created it, to be closed after its queue pairs. <b>Threading:</b> thread-safe, but one thread
 * posts at a time.
 *
 * <p>Source: ibv_create_srq(3), ibv_modify_srq(3), ibv_post_srq_recv(3).
 */
public final class SharedReceiveQueue extends VerbsObject {
    private final DeviceContext context;
    private final MemorySegment queue;
    private final MemorySegment postReceive;
    private final QueueLimits limits;

    SharedReceiveQueue(ProtectionDomain domain, MemorySegment queue, QueueLimits limits) {
        super("shared receive queue of " + domain.context(), domain);
        this.context = domain.context();
        this.queue = queue.reinterpret(ibv_srq.sizeof());
        this.limits = limits;
        context.events().add(queue, this);
        this.postReceive = ibv_context_ops.post_srq_recv(ibv_context.ops(context.pointer()));
    }

    static SharedReceiveQueue create(ProtectionDomain domain, int depth, int elementCountMax) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment attributes = ibv_srq_init_attr.allocate(arena);
            ibv_srq_attr.max_wr(ibv_srq_init_attr.attr(attributes), depth);
            ibv_srq_attr.max_sge(ibv_srq_init_attr.attr(attributes), elementCountMax);
            MemorySegment queue = NativeCall.pointer("ibv_create_srq",
                    () -> domain.context().on() + ", depth=" + depth + ", elements=" + elementCountMax,
                    capture -> (MemorySegment) LibIbverbs.CreateSrq.HANDLE.invokeExact(capture, domain.pointer(),
                            attributes));
            MemorySegment granted = ibv_srq_init_attr.attr(attributes);
            return new SharedReceiveQueue(domain, queue,
                    new QueueLimits(ibv_srq_attr.max_wr(granted), ibv_srq_attr.max_sge(granted), 0));
        }
    }

    /** As {@link QueuePair#post(ReceiveRequests, int, int)}. */
    public int post(ReceiveRequests requests, int first, int count) {
        if (count == 0) {
            return 0;
        }
        int last = requests.last(first, count);
        Guard guard = guard();
        guard.enter(Guard.RECEIVE);
        int errno = requests.post(context.dataPath(), postReceive, queue.address(), first, last);
        guard.leave(Guard.RECEIVE);
        return errno == 0 ? count : refused(requests, errno, first);
    }

    /** mlx4_post_srq_recv (providers/mlx4/srq.c) says -1 where others say ENOMEM. */
    private int refused(ReceiveRequests requests, int errno, int first) {
        return requests.refused("ibv_post_srq_recv", context.on(), errno == -1 ? ENOMEM() : errno,
                requests.takeBadIndex(), first, limits);
    }

    /** Asks for {@link AsyncEventType#SHARED_RECEIVE_QUEUE_LIMIT_REACHED} once fewer receives than this are left; once per call. */
    public void limit(int receives) {
        modify(0, receives, IBV_SRQ_LIMIT());
    }

    /** Makes room for so many receives; those that are posted stay. */
    public void resize(int depth) {
        modify(depth, 0, IBV_SRQ_MAX_WR());
    }

    private void modify(int depth, int limit, int mask) {
        runWhileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_srq_attr.allocate(arena);
                ibv_srq_attr.max_wr(attributes, depth);
                ibv_srq_attr.srq_limit(attributes, limit);
                NativeCall.check("ibv_modify_srq",
                        () -> context.on() + (mask == IBV_SRQ_LIMIT() ? ", limit=" + limit : ", depth=" + depth),
                        ibv_modify_srq(queue, attributes, mask));
            }
        });
    }

    /** As the device has it now. */
    public SharedReceiveQueueAttributes query() {
        return whileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_srq_attr.allocate(arena);
                NativeCall.check("ibv_query_srq", context::on, ibv_query_srq(queue, attributes));
                return new SharedReceiveQueueAttributes(ibv_srq_attr.max_wr(attributes),
                        ibv_srq_attr.max_sge(attributes), ibv_srq_attr.srq_limit(attributes));
            }
        });
    }

    DeviceContext context() {
        return context;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return queue;
    }

    @Override
    void destroy() {
        context.events().destroy(queue,
                () -> NativeCall.check("ibv_destroy_srq", context::on, ibv_destroy_srq(queue)));
    }
}
