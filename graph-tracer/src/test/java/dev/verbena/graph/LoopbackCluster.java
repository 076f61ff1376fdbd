package dev.verbena.graph;

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

import dev.verbena.memory.Tensor;

/** The sessions of all tasks of a graph in one process, with loopback edges between them, each run on a thread of its own. */
final class LoopbackCluster implements AutoCloseable {
    private final Graph graph;
    final SessionOptions options;
    final TestActivity activity = new TestActivity();
    final Map<String, Session> sessions = new LinkedHashMap<>();
    final Map<String, TestAllocator> ordinary = new HashMap<>();
    final Map<String, TestAllocator> registered = new HashMap<>();
    final Map<String, LoopbackEdge> edges = new LinkedHashMap<>();
    final Map<String, dev.verbena.graph.Executor> executors = new HashMap<>();
    /** Slots, one tensor each, allocated for good. */
    private final Map<String, Integer> slotCount = new HashMap<>();
    private final Executor completing;
    private final ExecutorService threads = Executors.newCachedThreadPool();

    LoopbackCluster(Graph graph, SessionOptions options, Executor completing) {
        this.graph = graph;
        this.options = options;
        this.completing = completing;
        for (String task : graph.tasks()) {
            ordinary.put(task, new TestAllocator());
            registered.put(task, new TestAllocator());
        }
        for (CrossingEdge edge : CrossingEdge.of(graph)) {
            TestAllocator memory = registered.get(edge.fromTask());
            edges.put(edge.name(), new LoopbackEdge(edge, options.depth(), registered.get(edge.toTask()), memory,
                    memory::owns, completing, activity::signal));
            slotCount.merge(edge.toTask(), options.depth(), Integer::sum);
        }
        graph.tasks().forEach(task -> sessions.put(task, session(task)));
    }

    private Session session(String task) {
        Partition partition = Partition.of(graph, task);
        AllocationTracer tracer = new AllocationTracer(options.tracing());
        SessionCounters counters = new SessionCounters();
        partition.receives().forEach(receive -> receive.bind(edges.get(receive.edge().name())));
        partition.sends().forEach(send -> send.bind(edges.get(send.edge().name()), tracer, counters));
        dev.verbena.graph.Executor executor = new dev.verbena.graph.Executor("task=" + task,
                partition.placed().size(), activity, options.timeout().toNanos(), System::nanoTime,
                SessionListener.NONE);
        executors.put(task, executor);
        SessionMemory memory = new SessionMemory(tracer, ordinary.get(task), registered.get(task),
                registered.get(task)::owns);
        return new GraphSession(partition, memory, counters, executor, new SessionResources(),
                TransferPlan.of(graph, options).crossingByteSize(task), 0);
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
        return ordinary.get(task).live() + registered.get(task).live() - slotCount.getOrDefault(task, 0);
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
