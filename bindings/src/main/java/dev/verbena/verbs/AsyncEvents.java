package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.*;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.Map;

import dev.verbena.verbs.abi.ibv_async_event;
import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.ffi.NativeCall;
import dev.verbena.verbs.ffi.LibC;
import dev.verbena.verbs.ffi.LibIbverbs;
import dev.verbena.verbs.ffi.Waiter;

/**
 * The asynchronous events of a device context, and which objects they may concern.
 *
 * <p>Destroying an object waits until each event of it that was taken has been acknowledged, so an event is acknowledged
 * as it is taken, and no object is destroyed meanwhile.
 *
 * <p><b>Owner:</b> its context. <b>Threading:</b> thread-safe.
 */
final class AsyncEvents {
    private final DeviceContext context;
    /** Made when events are first asked for; guarded by this. */
    private Waiter waiter;
    /** By the address of their struct, from creation until they are destroyed; guarded by this. */
    private final Map<Long, VerbsObject> objects = new HashMap<>();

    AsyncEvents(DeviceContext context) {
        this.context = context;
    }

    /** Null when time is up, after a wake, or for no reason. */
    AsyncEvent await(long timeoutNs) {
        Waiter waits = waiter();
        AsyncEvent event = take();
        if (event == null && timeoutNs > 0) {
            waits.await(timeoutNs);
            event = take();
        }
        return event;
    }

    void wake() {
        waiter().wake();
    }

    /** Non-blocking; readable while there are events. */
    int fd() {
        return waiter().fd();
    }

    private synchronized Waiter waiter() {
        if (waiter == null) {
            waiter = new Waiter(ibv_context.async_fd(context.pointer()), LibC.eventfd());
        }
        return waiter;
    }

    private synchronized AsyncEvent take() {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment event = ibv_async_event.allocate(arena);
            int errno = NativeCall.errnoOf(capture -> (int) LibIbverbs.GetAsyncEvent.HANDLE.invokeExact(capture,
                    context.pointer(), event));
            if (errno == EAGAIN() || errno == EINTR()) {
                return null;
            }
            NativeCall.check("ibv_get_async_event", context::on, errno);
            AsyncEvent taken = AsyncEvent.of(event, objects::get);
            ibv_ack_async_event(event);
            return taken;
        }
    }

    synchronized void add(MemorySegment struct, VerbsObject object) {
        objects.put(struct.address(), object);
    }

    /** By its number; null where it is not here. */
    synchronized QueuePair queuePair(int number) {
        for (VerbsObject object : objects.values()) {
            if (object instanceof QueuePair pair && pair.number() == number) {
                return pair;
            }
        }
        return null;
    }

    /** Destroys an object while no thread takes an event. */
    synchronized void destroy(MemorySegment struct, Runnable destroy) {
        destroy.run();
        objects.remove(struct.address());
    }

    /** Called once the context is closed. */
    synchronized void close() {
        if (waiter != null) {
            waiter.close();
        }
    }
}
