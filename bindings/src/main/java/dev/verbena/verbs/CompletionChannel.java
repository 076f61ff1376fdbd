package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import dev.verbena.verbs.abi.ibv_comp_channel;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.LibIbverbs;
import dev.verbena.verbs.ffi.Waiter;

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
    private final Waiter waiter;
    /** Few, and looked up without allocating; guarded by this, as is what follows. */
    private final List<CompletionQueue> queues = new ArrayList<>();
    private final MemorySegment queue = Arena.ofAuto().allocate(ValueLayout.ADDRESS);
    private final MemorySegment number = Arena.ofAuto().allocate(ValueLayout.JAVA_LONG);
    private final MemorySegment capture = NativeCall.capture(Arena.ofAuto());

    CompletionChannel(DeviceContext context, MemorySegment channel, Waiter waiter) {
        super("completion channel of " + context, context);
        this.context = context;
        this.channel = channel;
        this.waiter = waiter;
    }

    static CompletionChannel create(DeviceContext context) {
        // First: what it says while there are too many open files must leave nothing.
        int wakeFd = LibC.eventfd();
        try {
            MemorySegment channel = NativeCall.pointer("ibv_create_comp_channel", context::on,
                    capture -> (MemorySegment) LibIbverbs.CreateCompChannel.HANDLE.invokeExact(capture,
                            context.pointer()))
                    .reinterpret(ibv_comp_channel.sizeof());
            return new CompletionChannel(context, channel, new Waiter(ibv_comp_channel.fd(channel), wakeFd));
        } catch (VerbsException failed) {
            LibC.close(wakeFd);
            throw failed;
        }
    }

    /**
     * Waits for an event and acknowledges it; a sleep that ends without one takes nothing from the Java heap.
     *
     * @param timeoutNs 0 to take what is there
     * @return the completion queue that has something, or null when time is up, after {@link #wake()}, or for no reason
     */
    public CompletionQueue await(long timeoutNs) {
        enterCall();
        try {
            CompletionQueue ready = take();
            if (ready == null && timeoutNs > 0) {
                waiter.await(timeoutNs);
                ready = take();
            }
            return ready;
        } finally {
            leaveCall();
        }
    }

    /** Ends a present {@link #await}, or else the next one. */
    public void wake() {
        runWhileOpen(waiter::wake);
    }

    /**
     * A descriptor for epoll(7) and event loops, readable while there are events: call {@link #await} with 0 then, until it
     * returns null. It is the channel's, non-blocking, and ends with it: neither read nor close it.
     */
    public int fileDescriptor() {
        return whileOpen(waiter::fd);
    }

    /** Not while a completion queue is destroyed: that waits for the acknowledgement of each event that was taken. */
    private synchronized CompletionQueue take() {
        int errno = nextEvent();
        if (errno == EAGAIN() || errno == EINTR()) {
            return null;
        }
        if (errno != 0) {
            throw new VerbsException("ibv_get_cq_event", context.on(), errno, null);
        }
        CompletionQueue ready = find(number.get(ValueLayout.JAVA_LONG, 0));
        ready.eventTaken();
        return ready;
    }

    private int nextEvent() {
        try {
            int status = (int) LibIbverbs.GetCqEvent.HANDLE.invokeExact(capture, channel, queue, number);
            return status == 0 ? 0 : NativeCall.errno(capture);
        } catch (Throwable failed) {
            throw NativeCall.rethrow(failed);
        }
    }

    private CompletionQueue find(long number) {
        for (int i = 0; i < queues.size(); i++) {
            if (queues.get(i).number() == number) {
                return queues.get(i);
            }
        }
        throw new IllegalStateException(this + " has an event of a completion queue that it does not know");
    }

    synchronized void add(CompletionQueue queue) {
        queues.add(queue);
    }

    /** Destroys a completion queue of this channel while no thread takes an event of it. */
    synchronized void remove(CompletionQueue queue, Runnable destroy) {
        destroy.run();
        queues.remove(queue);
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
        waiter.close();
    }
}
