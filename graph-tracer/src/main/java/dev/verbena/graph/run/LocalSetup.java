package dev.verbena.graph.run;

import java.util.Map;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.Activity;
import dev.verbena.graph.run.execution.Executor;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.TensorArena;

/** Makes sessions that need no peers, and the ordinary memory of all sessions. */
final class LocalSetup {
    /** Ordinary memory grows as it is asked for; how much there is, the machine decides. */
    private static final long ORDINARY_BYTE_SIZE_MAX = 1L << 46;

    private LocalSetup() {}

    static Session create(Graph graph, SessionOptions options) {
        Partition partition = Partition.whole(graph);
        NodeKernels kernels = NodeKernels.of(partition, options.kernels(), Map.of());
        SessionResources resources = new SessionResources();
        TensorArena ordinary = ordinaryArena();
        resources.add(ordinary::close);
        Executor executor = new Executor("local session", partition.placed().size(), Activity.NONE,
                options.timeout().toNanos(), System::nanoTime, SessionListener.NONE);
        return new GraphSession(partition, kernels,
                SessionMemory.ordinaryOnly(new SessionTracer(options.tracing(), options.trace()), ordinary::allocate),
                new SessionCounters(),
                executor,
                resources, 0, 0);
    }

    static TensorArena ordinaryArena() {
        return TensorArena.create(new OffHeapSlabSource(), 0, ORDINARY_BYTE_SIZE_MAX);
    }
}
