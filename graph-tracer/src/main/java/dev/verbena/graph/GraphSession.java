package dev.verbena.graph;

import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.memory.Tensor;

/**
 * A session over a partition whose Sends and Recvs are bound to their ends, if it has any. What it stands on (arenas, ends) is
 * given to it as resources to close, last one first.
 */
final class GraphSession implements Session, RunServices {
    private record RunKey(List<Graph.Output> fetches, List<Graph.Node> targets) {}

    private final Partition partition;
    private final SessionMemory memory;
    private final VariableStore variables;
    private final SessionCounters counters;
    private final Executor executor;
    private final SessionResources resources;
    private final long crossingByteSize;
    private final long plannedByteSize;
    private final Map<RunKey, RunPlan> plans = new HashMap<>();
    private boolean running;
    private boolean closed;
    private Throwable broken;

    GraphSession(Partition partition, SessionMemory memory, SessionCounters counters, Executor executor,
            SessionResources resources, long crossingByteSize, long plannedByteSize) {
        this.partition = partition;
        this.memory = memory;
        this.variables = new VariableStore(memory);
        this.counters = counters;
        this.executor = executor;
        this.resources = resources;
        this.crossingByteSize = crossingByteSize;
        this.plannedByteSize = plannedByteSize;
    }

    @Override
    public List<Tensor> run(Map<String, Tensor> feeds, List<Graph.Output> fetches, List<Graph.Node> targets) {
        checkUsable();
        checkFeedNames(feeds);
        RunPlan plan = plans.computeIfAbsent(new RunKey(List.copyOf(fetches), List.copyOf(targets)), this::plan);
        plan.feed(feeds);
        running = true;
        try {
            return run(plan);
        } catch (Throwable e) {
            broken = e;
            throw e;
        } finally {
            running = false;
        }
    }

    private RunPlan plan(RunKey key) {
        return RunPlanBuilder.build(partition, this, key.fetches, key.targets);
    }

    private List<Tensor> run(RunPlan plan) {
        boolean first = plan.isFirst();
        memory.tracer().beginIteration(first);
        counters.beginIteration(first);
        executor.run(plan);
        List<Tensor> fetched = plan.fetch(memory);
        memory.tracer().endIteration();
        if (first) {
            variables.moveRegistered();
        }
        counters.endIteration();
        return fetched;
    }

    private void checkUsable() {
        if (closed) {
            throw new IllegalStateException("the session is closed");
        }
        if (running) {
            throw new IllegalStateException(
                    "the session is running; a session is confined to one thread and one run at a time");
        }
        if (broken != null) {
            throw new IllegalStateException("the session ended with an earlier failure: " + broken.getMessage(),
                    broken);
        }
    }

    private void checkFeedNames(Map<String, Tensor> feeds) {
        for (String name : feeds.keySet()) {
            Graph.Node node = partition.graph().find(name);
            if (node == null || !(node.operation() instanceof Feed)) {
                throw new IllegalArgumentException(
                        "unknown feed '" + name + "'; the graph has no Feed node of that name");
            }
            if (partition.placedFor(node) == null) {
                throw new IllegalArgumentException("feed '" + name + "' is placed on task=" + node.task()
                        + " but this session runs task=" + partition.task() + "; feed it there");
            }
        }
    }

    @Override
    public SessionMemory memory() {
        return memory;
    }

    @Override
    public VariableStore variables() {
        return variables;
    }

    @Override
    public void completed(NodeRun run) {
        executor.completed(run);
    }

    @Override
    public SessionStatistics statistics() {
        return counters.snapshot(memory.tracer(), crossingByteSize, plannedByteSize);
    }

    @Override
    public void close() {
        if (!closed) {
            closed = true;
            variables.close();
            resources.close(broken != null);
        }
    }
}
