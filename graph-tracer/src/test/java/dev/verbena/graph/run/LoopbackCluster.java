package dev.verbena.graph.run;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.CrossingEdge;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.edge.LoopbackEdge;
import dev.verbena.graph.run.edge.ReceiveKernel;
import dev.verbena.graph.run.edge.SendKernel;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.TestActivity;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.SessionTracer;
import dev.verbena.graph.run.memory.TestAllocator;
import dev.verbena.memory.Tensor;

/** The sessions of all tasks of a graph in one process, with loopback edges between them, each run on a thread of its own. */
final class LoopbackCluster implements AutoCloseable {
    private final Graph graph;
    final SessionOptions options;
    final TestActivity activity = new TestActivity();
    final Map<String, Session> sessions = new LinkedHashMap<>();
    final Map<String, TestAllocator> ordinary = new HashMap<>();
    final Map<String, TestAllocator> registered = new HashMap<>();
    /** Registered too: of what arrives with a shape that only the run tells, and of copies that do not fit. */
    final Map<String, TestAllocator> further = new HashMap<>();
    final Map<String, SessionTracer> tracers = new HashMap<>();
    final Map<String, LoopbackEdge> edges = new LinkedHashMap<>();
    final Map<String, dev.verbena.graph.run.execution.Executor> executors = new HashMap<>();
    /** What says, for a task, that one of its nodes has run. */
    private final Map<String, Tensor> signals = new HashMap<>();
    /** Slots and signals, one tensor each, allocated for good. */
    private final Map<String, Integer> slotCount = new HashMap<>();
    private final Executor completing;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    LoopbackCluster(Graph graph, SessionOptions options, Executor completing) {
        this(graph, options, completing, Integer.MAX_VALUE);
    }

    /** @param registeredMax how many tensors fit into registered memory beside the slots */
    LoopbackCluster(Graph graph, SessionOptions options, Executor completing, int registeredMax) {
        this.graph = graph;
        this.options = options;
        this.completing = completing;
        for (String task : graph.tasks()) {
            ordinary.put(task, new TestAllocator());
            registered.put(task, new TestAllocator());
            further.put(task, new TestAllocator());
        }

        for (CrossingEdge edge : CrossingEdge.of(graph)) {
            boolean isStatic = edge.isStatic();
            TestAllocator slots = (isStatic ? registered : further).get(edge.toTask());
            edges.put(edge.name(), new LoopbackEdge(edge, options.depth(), slots,
                    tensor -> isRegistered(edge.fromTask(), tensor), completing, activity::signal));
            slotCount.merge(edge.toTask(), isStatic ? options.depth() : 0, Integer::sum);
            if (edge.isControl() && !signals.containsKey(edge.fromTask())) {
                signals.put(edge.fromTask(), registered.get(edge.fromTask())
                        .allocate(edge.type().elementType(), TransferPlan.shape(edge)));
                slotCount.merge(edge.fromTask(), 1, Integer::sum);
            }
        }
        if (registeredMax < Integer.MAX_VALUE) {
            registered.values().forEach(memory -> memory.limit(registeredMax));
        }
        graph.tasks().forEach(task -> sessions.put(task, session(task)));
    }

    private Session session(String task) {
        Partition partition = Partition.of(graph, task);
        SessionTracer tracer = new SessionTracer(options.tracing(), traceOf(task));
        SessionCounters counters = new SessionCounters();
        Map<CrossingEdge, Kernel> ends = new HashMap<>();
        partition.receives().forEach(edge -> ends.put(edge, new ReceiveKernel(edge, edges.get(edge.name()), false)));
        partition.sends()
                .forEach(edge -> ends.put(edge, new SendKernel(edge, edges.get(edge.name()), tracer, counters,
                        edge.isControl() ? signals.get(task) : null)));
        dev.verbena.graph.run.execution.Executor executor = new dev.verbena.graph.run.execution.Executor("task=" + task,
                partition.placed().size(), activity, options.timeout().toNanos(), System::nanoTime,
                SessionListener.NONE);
        executors.put(task, executor);
        SessionMemory memory = new SessionMemory(tracer, ordinary.get(task), registered.get(task),
                further.get(task), tensor -> isRegistered(task, tensor));
        tracers.put(task, tracer);
        return new GraphSession(partition, NodeKernels.of(partition, options.kernels(), ends), memory, counters,
                executor, new SessionResources(),
                TransferPlan.of(graph, options.depth()).crossingByteSize(task), 0);
    }

    private boolean isRegistered(String task, Tensor tensor) {
        return registered.get(task).owns(tensor) || further.get(task).owns(tensor);
    }

    /** The options' file is each task's own. */
    private Path traceOf(String task) {
        return options.trace() == null ? null : options.trace().resolve(task.replace(':', '-') + ".trace");
    }

    Session session(int index) {
        return new ArrayList<>(sessions.values()).get(index);
    }

    /** What a task runs. */
    interface Body {
        void run(String task, Session session) throws Exception;
    }

    /** Runs the body of each task on a thread of its own; the first failure is thrown when all have ended. */
    void run(Body body) throws Exception {
        List<Future<?>> futures = new ArrayList<>();
        sessions.forEach((task, session) -> futures.add(threads.submit(() -> {
            body.run(task, session);
            return null;
        })));
        Throwable failure = null;
        for (Future<?> future : futures) {
            try {
                future.get(60, TimeUnit.SECONDS);
            } catch (ExecutionException | TimeoutException e) {
                failure = failure == null ? e instanceof ExecutionException ? e.getCause() : e : failure;
            }
        }
        if (failure instanceof Exception exception) {
            throw exception;
        } else if (failure instanceof Error error) {
            throw error;
        }
    }

    /** Runs every task with the same targets, without feeds or fetches. */
    void run(int iterations, Graph.Node... targets) throws Exception {
        run((task, session) -> {
            for (int i = 0; i < iterations; i++) {
                List<Tensor> none = session.run(Map.of(), List.of(), List.of(targets));
                if (!none.isEmpty()) {
                    throw new AssertionError("nothing was fetched");
                }
            }
        });
    }

    /** Tensors of a task that are neither slots nor closed. */
    int live(String task) {
        return ordinary.get(task).live() + registered.get(task).live() + further.get(task).live()
                - slotCount.getOrDefault(task, 0);
    }

    SessionStatistics statistics(String task) {
        return sessions.get(task).statistics();
    }

    @Override
    public void close() {
        sessions.values().forEach(Session::close);
        threads.shutdown();
    }
}
