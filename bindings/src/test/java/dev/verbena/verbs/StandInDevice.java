package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemoryLayout;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.EnumSet;
import java.util.stream.Stream;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_cq;
import dev.verbena.verbs.abi.ibv_cq_ex;
import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_qp_cap;
import dev.verbena.verbs.abi.ibv_srq;

/**
 * Stands in for devices that no test has: its function pointers return what the test says, which should be what that
 * device's provider returns. Nothing of it can be closed: it was never created.
 *
 * <p>Threading: confined to the test's thread.
 */
final class StandInDevice {
    /** A provider's post_send, post_recv or post_srq_recv: zero or an errno, and the request refused in {@code bad}. */
    @FunctionalInterface
    interface Post {
        int post(long queue, long list, MemorySegment bad);
    }

    /** A provider's poll_cq: how many completions it wrote, or negative. */
    @FunctionalInterface
    interface Poll {
        int poll(long queue, int countMax, MemorySegment completions);
    }

    /** A provider's start_poll and next_poll. */
    @FunctionalInterface
    interface Step {
        int step();
    }

    static final int DEPTH = 4;
    static final int ELEMENTS = 2;
    static final int INLINE_BYTES = 16;

    private final Arena arena = Arena.ofAuto();
    /** A struct ibv_qp. */
    final MemorySegment pair = ibv_qp.allocate(arena);
    final QueuePair queuePair;
    /** Takes each request unless the test says otherwise. */
    Post post = (queue, list, bad) -> 0;
    /** How often it was asked to post. */
    int posts;
    /** How often a poll was ended. */
    int ends;

    Poll poll = (queue, countMax, completions) -> 0;
    Step start = () -> 0;
    Step next = () -> 0;
    final SharedReceiveQueue sharedReceiveQueue;
    final CompletionQueue completionQueue;
    final ExtendedCompletionQueue extendedQueue;

    StandInDevice(TransportType transport) {
        this(transport, "");
    }

    /** Of the provider of that name. */
    StandInDevice(TransportType transport, String provider) {
        MemorySegment context = context(transport, arena);
        MemorySegment operations = ibv_context.ops(context);
        MemorySegment posting = function("callPost", int.class, long.class, long.class, MemorySegment.class);
        ibv_context_ops.post_send(operations, posting);
        ibv_context_ops.post_recv(operations, posting);
        ibv_context_ops.post_srq_recv(operations, posting);
        ibv_context_ops.poll_cq(operations,
                function("callPoll", int.class, long.class, int.class, MemorySegment.class));
        DeviceContext device = new DeviceContext("stand-in", context, new Provider(provider));
        completionQueue = new CompletionQueue(device, null, 0, ibv_cq.allocate(arena));
        extendedQueue = new ExtendedCompletionQueue(device, null, 1, extended(), EnumSet.noneOf(CompletionField.class));
        MemorySegment capacities = ibv_qp_cap.allocate(arena);
        ibv_qp_cap.max_send_wr(capacities, DEPTH);
        ibv_qp_cap.max_recv_wr(capacities, DEPTH);
        ibv_qp_cap.max_send_sge(capacities, ELEMENTS);
        ibv_qp_cap.max_recv_sge(capacities, ELEMENTS);
        ibv_qp_cap.max_inline_data(capacities, INLINE_BYTES);
        ProtectionDomain domain = new ProtectionDomain(device, MemorySegment.NULL);
        queuePair = new QueuePair(domain, QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, completionQueue), pair,
                capacities);
        sharedReceiveQueue = new SharedReceiveQueue(domain, ibv_srq.allocate(arena),
                new QueueLimits(DEPTH, ELEMENTS, 0));
    }

    private MemorySegment extended() {
        MemorySegment queue = ibv_cq_ex.allocate(arena);
        ibv_cq_ex.start_poll(queue, function("callStart", int.class, long.class, long.class));
        ibv_cq_ex.next_poll(queue, function("callNext", int.class, long.class));
        ibv_cq_ex.end_poll(queue, function("callEnd", void.class, long.class));
        return queue;
    }

    /** A struct ibv_context of a device of that transport. */
    static MemorySegment context(TransportType transport, Arena arena) {
        MemorySegment device = ibv_device.allocate(arena);
        ibv_device.transport_type(device, transport.code());
        MemorySegment context = ibv_context.allocate(arena);
        ibv_context.device(context, device);
        return context;
    }

    private MemorySegment function(String name, Class<?> result, Class<?>... parameters) {
        MethodType type = MethodType.methodType(result, parameters);
        MemoryLayout[] layouts = Stream.of(parameters).map(StandInDevice::layout).toArray(MemoryLayout[]::new);
        FunctionDescriptor descriptor = result == void.class ? FunctionDescriptor.ofVoid(layouts)
                : FunctionDescriptor.of(ValueLayout.JAVA_INT, layouts);
        try {
            return Linker.nativeLinker().upcallStub(MethodHandles.lookup().bind(this, name, type), descriptor, arena);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    private static MemoryLayout layout(Class<?> type) {
        return type == int.class ? ValueLayout.JAVA_INT
                : type == long.class ? ValueLayout.JAVA_LONG : ValueLayout.ADDRESS;
    }

    @SuppressWarnings("unused")
    private int callPost(long queue, long list, MemorySegment bad) {
        posts++;
        return post.post(queue, list, bad.reinterpret(Long.BYTES));
    }

    @SuppressWarnings("unused")
    private int callPoll(long queue, int countMax, MemorySegment completions) {
        return poll.poll(queue, countMax, completions);
    }

    @SuppressWarnings("unused")
    private int callStart(long queue, long attributes) {
        return start.step();
    }

    @SuppressWarnings("unused")
    private int callNext(long queue) {
        return next.step();
    }

    @SuppressWarnings("unused")
    private void callEnd(long queue) {
        ends++;
    }
}
