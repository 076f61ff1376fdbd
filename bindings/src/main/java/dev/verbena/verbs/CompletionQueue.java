package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.ref.Reference;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_cq;
import dev.verbena.verbs.abi.ibv_moderate_cq;
import dev.verbena.verbs.abi.ibv_modify_cq_attr;
import dev.verbena.verbs.ffi.DataPath;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.Guard;
import dev.verbena.verbs.ffi.InlineVerbs;
import dev.verbena.verbs.ffi.LibIbverbs;

/**
 * Where queue pairs report what became of their requests. One that overruns is dead: it must have room for all sends
 * and receives that may be outstanding.
 *
 * <p><b>Owner:</b> whoever created it, to be closed after its queue pairs. <b>Threading:</b> thread-safe, but one thread
 * polls at a time.
 *
 * <p>Source: ibv_create_cq(3), ibv_poll_cq(3), ibv_req_notify_cq(3), ibv_resize_cq(3), ibv_modify_cq(3).
 */
public sealed class CompletionQueue extends VerbsObject permits ExtendedCompletionQueue {
    private static final AtomicLong NUMBERS = new AtomicLong();
    /** Acknowledging takes a mutex, so events are acknowledged in batches (ibv_get_cq_event(3)). */
    private static final int ACKNOWLEDGE_BATCH = 64;

    private final DeviceContext context;
    private final CompletionChannel channel;
    private final long number;
    private final MemorySegment queue;
    private final DataPath path;
    private final MemorySegment pollFunction;
    private final MemorySegment notifyFunction;
    private final AtomicInteger unacknowledged = new AtomicInteger();

    CompletionQueue(DeviceContext context, CompletionChannel channel, long number, MemorySegment queue) {
        super("completion queue " + number + " of " + context, context, channel);
        this.context = context;
        this.channel = channel;
        this.number = number;
        this.queue = queue.reinterpret(ibv_cq.sizeof());
        this.path = context.dataPath();
        MemorySegment operations = ibv_context.ops(context.pointer());
        this.pollFunction = ibv_context_ops.poll_cq(operations);
        this.notifyFunction = ibv_context_ops.req_notify_cq(operations);
        context.events().add(queue, this);
        if (channel != null) {
            channel.add(this);
        }
    }

    /** The channel may be null. */
    static CompletionQueue create(DeviceContext context, int countMax, CompletionChannel channel, int vector) {
        long number = nextNumber();
        MemorySegment channelPointer = channel == null ? MemorySegment.NULL : channel.pointer();
        return new CompletionQueue(context, channel, number, NativeCall.pointer("ibv_create_cq",
                () -> context.on() + ", completions=" + countMax + ", vector=" + vector,
                capture -> (MemorySegment) LibIbverbs.CreateCq.HANDLE.invokeExact(capture, context.pointer(), countMax,
                        MemorySegment.ofAddress(number), channelPointer, vector)));
    }

    /** What tells its events from others'. */
    static long nextNumber() {
        return NUMBERS.incrementAndGet();
    }

    /**
     * Takes up to as many completions as fit.
     *
     * @return how many there are now in {@code completions}, from 0 on
     * @throws VerbsException if the completion queue is broken, for instance overrun
     */
    public int poll(WorkCompletions completions) {
        return poll(completions, completions.capacity());
    }

    /** Takes up to {@code countMax} completions. */
    public int poll(WorkCompletions completions, int countMax) {
        if (countMax < 0 || countMax > completions.capacity()) {
            throw new IllegalArgumentException("countMax=" + countMax + ": give 0 to capacity="
                    + completions.capacity());
        }
        Guard guard = guard();
        guard.enter(Guard.SEND);
        int count = path.poll(pollFunction, queue.address(), countMax, completions.address());
        guard.leave(Guard.SEND);
        Reference.reachabilityFence(completions);
        if (count < 0) {
            throw broken("ibv_poll_cq", count);
        }
        return count;
    }

    /** What providers return is no errno: -1, or -2 (CQ_POLL_ERR in providers/mlx5/cq.c and others). */
    final VerbsException broken(String verb, int returned) {
        return new VerbsException(verb, on() + ", returned=" + returned, EIO(),
                "the completion queue is dead, as one that overran is; make a larger one");
    }

    /**
     * Asks for an event at the next completion; with {@code solicitedOnly} at the next that the sender marked so, or that
     * failed.
     */
    public void requestNotification(boolean solicitedOnly) {
        enterCall();
        try {
            int errno = DataPath.requestNotification(notifyFunction, queue.address(), solicitedOnly);
            if (errno != 0) {
                throw new VerbsException("ibv_req_notify_cq", on(), Math.abs(errno), null);
            }
        } finally {
            leaveCall();
        }
    }

    /** Makes room for at least {@code countMax} completions; what is in it stays. */
    public void resize(int countMax) {
        runWhileOpen(() -> NativeCall.check("ibv_resize_cq", () -> on() + ", completions=" + countMax,
                ibv_resize_cq(queue, countMax)));
    }

    /**
     * Lets events wait until so many completions have come, or so long after the first: fewer interrupts, later.
     *
     * @throws VerbsException EOPNOTSUPP where the device cannot, as soft-RoCE
     */
    public void moderate(int completions, int periodUs) {
        checkShort("completions", completions);
        checkShort("periodUs", periodUs);
        runWhileOpen(() -> {
            try (Arena arena = Arena.ofConfined()) {
                MemorySegment attributes = ibv_modify_cq_attr.allocate(arena);
                ibv_modify_cq_attr.attr_mask(attributes, IBV_CQ_ATTR_MODERATE());
                MemorySegment moderation = ibv_modify_cq_attr.moderate(attributes);
                ibv_moderate_cq.cq_count(moderation, (short) completions);
                ibv_moderate_cq.cq_period(moderation, (short) periodUs);
                NativeCall.check("ibv_modify_cq",
                        () -> on() + ", completions=" + completions + ", periodUs=" + periodUs,
                        InlineVerbs.modifyCompletionQueue(context.pointer(), queue, attributes));
            }
        });
    }

    private static void checkShort(String name, int value) {
        if (value < 0 || value > 0xffff) {
            throw new IllegalArgumentException(name + "=" + value + ": give 0 to 65535");
        }
    }

    /** Completions that it has room for. */
    public int capacity() {
        return whileOpen(() -> ibv_cq.cqe(queue));
    }

    DeviceContext context() {
        return context;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return queue;
    }

    /** What its events carry. */
    final long number() {
        return number;
    }

    /** Called by the channel. */
    void eventTaken() {
        if (unacknowledged.incrementAndGet() >= ACKNOWLEDGE_BATCH) {
            acknowledge();
        }
    }

    private void acknowledge() {
        ibv_ack_cq_events(queue, unacknowledged.getAndSet(0));
    }

    final String on() {
        return context.on() + ", completionQueue=" + number;
    }

    @Override
    void destroy() {
        if (channel == null) {
            destroyNow();
        } else {
            channel.remove(this, this::destroyNow);
        }
    }

    /** It would wait for ever for an event that was not acknowledged. */
    private void destroyNow() {
        acknowledge();
        context.events().destroy(queue,
                () -> NativeCall.check("ibv_destroy_cq", this::on, ibv_destroy_cq(queue)));
    }
}
