package dev.verbena.verbs;

import java.lang.foreign.Arena;
import java.lang.foreign.FunctionDescriptor;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_cq;
import dev.verbena.verbs.abi.ibv_device;
import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_qp_cap;

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

    private static final int DEPTH = 4;

    private final Arena arena = Arena.ofAuto();
    /** A struct ibv_qp. */
    final MemorySegment pair = ibv_qp.allocate(arena);
    final QueuePair queuePair;
    /** Takes each request unless the test says otherwise. */
    Post post = (queue, list, bad) -> 0;
    /** How often it was asked to post. */
    int posts;

    StandInDevice(TransportType transport) {
        MemorySegment context = context(transport, arena);
        MemorySegment operations = ibv_context.ops(context);
        MemorySegment posting = posting();
        ibv_context_ops.post_send(operations, posting);
        ibv_context_ops.post_recv(operations, posting);
        DeviceContext device = new DeviceContext("stand-in", context, new DataPath(new Provider("")));
        CompletionQueue queue = new CompletionQueue(device, null, 0, ibv_cq.allocate(arena));
        MemorySegment capacities = ibv_qp_cap.allocate(arena);
        ibv_qp_cap.max_send_wr(capacities, DEPTH);
        ibv_qp_cap.max_recv_wr(capacities, DEPTH);
        queuePair = new QueuePair(new ProtectionDomain(device, MemorySegment.NULL),
                QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue), pair, capacities);
    }

    /** A struct ibv_context of a device of that transport. */
    static MemorySegment context(TransportType transport, Arena arena) {
        MemorySegment device = ibv_device.allocate(arena);
        ibv_device.transport_type(device, transport.code());
        MemorySegment context = ibv_context.allocate(arena);
        ibv_context.device(context, device);
        return context;
    }

    private MemorySegment posting() {
        FunctionDescriptor descriptor = FunctionDescriptor.of(ValueLayout.JAVA_INT, ValueLayout.JAVA_LONG,
                ValueLayout.JAVA_LONG, ValueLayout.ADDRESS);
        try {
            MethodHandle handle = MethodHandles.lookup().bind(this, "callPost", descriptor.toMethodType());
            return Linker.nativeLinker().upcallStub(handle, descriptor, arena);
        } catch (ReflectiveOperationException e) {
            throw new AssertionError(e);
        }
    }

    @SuppressWarnings("unused")
    private int callPost(long queue, long list, MemorySegment bad) {
        posts++;
        return post.post(queue, list, bad.reinterpret(Long.BYTES));
    }
}
