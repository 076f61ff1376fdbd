package dev.verbena.graph.run;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.Partition;
import dev.verbena.graph.plan.RunPlan;
import dev.verbena.graph.run.edge.PeerNotices;
import dev.verbena.graph.run.edge.RunNotice;
import dev.verbena.graph.run.edge.SessionCounters;
import dev.verbena.graph.run.execution.Executor;
import dev.verbena.graph.run.execution.Frame;
import dev.verbena.graph.run.execution.RunServices;
import dev.verbena.graph.run.memory.SessionMemory;
import dev.verbena.graph.run.memory.VariableStore;
import dev.verbena.memory.Tensor;

/**
 * A session over a partition and the kernels of its nodes. What it stands on (arenas, ends) is
 * given to it as resources to close, last one first.
 */
final class GraphSession implements Session, RunServices {
    private record RunKey(List<Graph.Output> fetches, List<Graph.Node> targets) {}

    /** @param notices what its runs tell each peer that they need edges with */
    private record Prepared(Frame frame, Map<String, RunNotice> notices) {}

    /** Sets of fetches and targets whose plans are kept. */
    static final int FRAMES_MAX = 64;

    private final Partition partition;
    private final NodeKernels kernels;
    private final SessionMemory memory;
    private final VariableStore variables;
    private final SessionCounters counters;
    private final Executor executor;
    private final SessionResources resources;
    private final List<PeerNotices> notices;
    private final long crossingByteSize;
    private final long plannedByteSize;
    /** The latest used of them last. */
    private final Map<RunKey, Prepared> frames = new LinkedHashMap<>(16, .75f, true);
    /** Fetched, and open when it was last looked at. */
    private final List<Tensor> fetchedOpen = new ArrayList<>();
    private RunTimes latestTimes = RunTimes.NONE;
    private boolean running;
    private boolean closed;
    private Throwable broken;

    GraphSession(Partition partition, NodeKernels kernels, SessionMemory memory, SessionCounters counters,
            Executor executor,
            SessionResources resources, long crossingByteSize, long plannedByteSize) {
        this(partition, kernels, memory, counters, executor, resources, List.of(), crossingByteSize, plannedByteSize);
    }

    /** @param notices by which it tells its peers of a run, and hears of theirs */
    GraphSession(Partition partition, NodeKernels kernels, SessionMemory memory, SessionCounters counters,
            Executor executor, SessionResources resources, List<PeerNotices> notices, long crossingByteSize,
            long plannedByteSize) {
        this.notices = notices;
        this.partition = partition;
        this.kernels = kernels;
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
        Prepared prepared = frames.computeIfAbsent(new RunKey(List.copyOf(fetches), List.copyOf(targets)),
                this::prepare);
        forgetFrames();
        prepared.frame.feed(feeds);
        running = true;
        try {
            return run(prepared.frame, prepared.notices);
        } catch (Throwable e) {
            broken = e;
            throw e;
        } finally {
            running = false;
        }
    }

    /** Of those that were not used for longest one is made anew when it is asked for again. */
    private void forgetFrames() {
        while (frames.size() > FRAMES_MAX) {
            frames.remove(frames.keySet().iterator().next());
        }
    }

    int frameCount() {
        return frames.size();
    }

    private Prepared prepare(RunKey key) {
        RunPlan plan = RunPlan.of(partition, key.fetches, key.targets);
        return new Prepared(new Frame(plan, this, executor::completed),
                notices.isEmpty() ? Map.of() : RunNotice.of(plan, partition.task(),
                        "fetches=" + key.fetches + " targets=" + key.targets));
    }

    private List<Tensor> run(Frame frame, Map<String, RunNotice> told) {
        long beganNs = executor.nowNs();
        boolean first = frame.isFirst();
        memory.tracer().beginIteration();
        counters.beginIteration(first);
        notices.forEach(each -> each.begin(told.get(each.peer())));
        executor.run(frame);
        List<Tensor> fetched = frame.fetch(memory);
        long movingNs = 0;
        if (memory.tracer().endIteration()) {
            movingNs = -executor.nowNs();
            variables.moveRegistered();
            movingNs += executor.nowNs();
        }
        counters.endIteration();
        fetchedOpen.removeIf(tensor -> !tensor.isOpen());
        fetched.stream().filter(Objects::nonNull).forEach(fetchedOpen::add);
        latestTimes = new RunTimes(executor.nowNs() - beganNs, executor.waitNs(), executor.copyNs() + movingNs);
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

    private void checkFetchedClosed() {
        fetchedOpen.removeIf(tensor -> !tensor.isOpen());
        if (!fetchedOpen.isEmpty()) {
            throw new IllegalStateException("the session cannot be closed while openCount=" + fetchedOpen.size()
                    + " of the tensors that were fetched from it are open, such as " + fetchedOpen.getFirst()
                    + "; close them, then the session");
        }
    }

    private void checkFeedNames(Map<String, Tensor> feeds) {
        for (String name : feeds.keySet()) {
            Graph.Node node = partition.graph().find(name).orElse(null);
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
    public Kernel kernel(Graph.Node node) {
        return kernels.of(node);
    }

    @Override
    public VariableStore variables() {
        return variables;
    }

    @Override
    public SessionStatistics statistics() {
        return counters.snapshot(memory.tracer(), crossingByteSize, plannedByteSize);
    }

    @Override
    public RunTimes latestTimes() {
        return latestTimes;
    }

    @Override
    public void close() {
        if (!closed) {
            checkFetchedClosed();
            closed = true;
            variables.close();
            resources.close(broken != null);
        }
    }
}
