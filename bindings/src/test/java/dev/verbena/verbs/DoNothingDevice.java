package dev.verbena.verbs;

import static dev.verbena.verbs.abi.rdma_core_h.IBV_QPS_RTS;

import java.lang.foreign.Arena;
import java.lang.foreign.Linker;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.SymbolLookup;
import java.nio.file.Path;

import dev.verbena.verbs.abi.ibv_context;
import dev.verbena.verbs.abi.ibv_context_ops;
import dev.verbena.verbs.abi.ibv_cq;
import dev.verbena.verbs.abi.ibv_qp;
import dev.verbena.verbs.abi.ibv_qp_cap;

/**
 * A queue pair and a completion queue over a table of function pointers that do nothing and succeed, so that what is
 * left is what posting and polling cost on this side of the table. Nothing of it can be closed: it was never created.
 *
 * <p>Threading: confined to the thread that posts.
 */
final class DoNothingDevice {
    final QueuePair queuePair;
    final CompletionQueue queue;

    private DoNothingDevice(MemorySegment post, MemorySegment poll, boolean isCritical) {
        Arena arena = Arena.global();
        MemorySegment context = StandInDevice.context(TransportType.INFINIBAND, arena);
        MemorySegment operations = ibv_context.ops(context);
        ibv_context_ops.post_send(operations, post);
        ibv_context_ops.post_recv(operations, post);
        ibv_context_ops.poll_cq(operations, poll);
        DeviceContext device = new DeviceContext("nothing", context,
                new Provider(isCritical ? "mlx5" : "rxe"));
        queue = new CompletionQueue(device, null, 0, ibv_cq.allocate(arena));
        MemorySegment pair = ibv_qp.allocate(arena);
        ibv_qp.state(pair, IBV_QPS_RTS());
        queuePair = new QueuePair(new ProtectionDomain(device, MemorySegment.NULL),
                QueuePairOptions.of(QueuePairType.RELIABLE_CONNECTED, queue), pair, ibv_qp_cap.allocate(arena));
    }

    /** POSIX leaves it to libraries what this function does; glibc's returns 0 and nothing else. */
    static DoNothingDevice ofLibC() {
        MemorySegment nothing = Linker.nativeLinker().defaultLookup().find("pthread_barrierattr_destroy").orElseThrow();
        return new DoNothingDevice(nothing, nothing, false);
    }

    /** Of a library that has functions do_nothing_post and do_nothing_poll. */
    static DoNothingDevice of(Path library, boolean isCritical) {
        SymbolLookup functions = SymbolLookup.libraryLookup(library, Arena.global());
        return new DoNothingDevice(functions.find("do_nothing_post").orElseThrow(),
                functions.find("do_nothing_poll").orElseThrow(), isCritical);
    }
}
