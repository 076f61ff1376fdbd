package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.verbs.abi.ibv_comp_channel;

/**
 * Where completion queues report that they have something, so that a thread can sleep instead of polling.
 *
 * <p>Events are one-shot and may come for nothing. The order that loses nothing: request a notification, poll until
 * empty, then wait.
 *
 * <p><b>Owner:</b> whoever created it, to be closed after its completion queues. <b>Threading:</b> thread-safe.
 *
 * <p>Source: ibv_create_comp_channel(3), ibv_get_cq_event(3).
 */
public final class CompletionChannel extends VerbsObject {
    private final DeviceContext context;
    private final MemorySegment channel;
    private final int fd;
    private final int wakeFd = LibC.eventfd();
    /** By the number that stands in their events; guarded by this. */
    private final Map<Long, CompletionQueue> queues = new HashMap<>();

    private CompletionChannel(DeviceContext context, MemorySegment channel) {
        super("completion channel of " + context, context);
        this.context = context;
        this.channel = channel;
        this.fd = ibv_comp_channel.fd(channel);
        LibC.setNonBlocking(fd);
    }

    static CompletionChannel create(DeviceContext context) {
        return new CompletionChannel(context, NativeCall.pointer("ibv_create_comp_channel", context::on,
                capture -> (MemorySegment) LibIbverbs.CREATE_COMP_CHANNEL.invokeExact(capture, context.pointer()))
                .reinterpret(ibv_comp_channel.sizeof()));
    }

    /**
     * Waits for an event and acknowledges it.
     *
     * @return the completion queue that has something, or null when time is up, after {@link #wake()}, or for no reason
     */
    public CompletionQueue await(long timeoutNs) {
        return whileOpen(() -> {
            CompletionQueue ready = take();
            if (ready == null && timeoutNs > 0) {
                LibC.awaitReadable(fd, wakeFd, timeoutNs);
                LibC.drain(wakeFd);
                ready = take();
            }
            return ready;
        });
    }

    /** Ends a present {@link #await}, or else the next one. */
    public void wake() {
        runWhileOpen(() -> LibC.signal(wakeFd));
    }

    /** Not while a completion queue is destroyed: that waits for the acknowledgement of each event that was taken. */
    private synchronized CompletionQueue take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment queue = arena.allocate(ValueLayout.ADDRESS);
            MemorySegment number = arena.allocate(ValueLayout.ADDRESS);
            int errno = NativeCall.errnoOf(
                    capture -> (int) LibIbverbs.GET_CQ_EVENT.invokeExact(capture, channel, queue, number));
            if (errno == EAGAIN() || errno == EINTR()) {
                return null;
            }
            NativeCall.check("ibv_get_cq_event", context::on, errno);
            CompletionQueue ready = queues.get(number.get(ValueLayout.JAVA_LONG, 0));
            ready.eventTaken();
            return ready;
        }
    }

    synchronized void add(long number, CompletionQueue queue) {
        queues.put(number, queue);
    }

    /** Destroys a completion queue of this channel while no thread takes an event of it. */
    synchronized void remove(long number, Runnable destroy) {
        destroy.run();
        queues.remove(number);
    }

    DeviceContext context() {
        return context;
    }

    /** Only within {@link #whileOpen}. */
    MemorySegment pointer() {
        return channel;
    }

    @Override
    void destroy() {
        NativeCall.check("ibv_destroy_comp_channel", context::on, ibv_destroy_comp_channel(channel));
        LibC.close(wakeFd);
    }
}
