package dev.verbena.training;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.NavigableSet;
import java.util.stream.Stream;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;
import dev.verbena.graph.run.EdgeCarrier;
import dev.verbena.graph.run.RunTimes;
import dev.verbena.graph.run.Session;
import dev.verbena.graph.run.SessionOptions;
import dev.verbena.graph.run.Sessions;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.SlabSource;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.training.blas.Blas;
import dev.verbena.training.checkpoint.Checkpoints;
import dev.verbena.training.data.MiniBatches;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameters;
import dev.verbena.training.operation.Snapshot;

/**
 * Trains a network on a data set: in one process, or as one task of a cluster of parameter servers and workers. Every tensor
 * lives in an arena.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> each call is confined to its thread.
 *
 * <p>The same options give the same losses, to the last bit, on the same machine: with one worker also whether in one process or
 * distributed.
 *
 * <p>Source: EuroSys'19, figure 3 and §5.2.
 */
public final class Training {
    /** To begin with: some mini-batches. */
    private static final long FEED_BYTE_SIZE = 1L << 20;

    private Training() {}

    /** Task names, servers first: {@code server:0 .. worker:0 ..}. */
    public static List<String> tasks(TrainingOptions options) {
        return Stream.concat(TrainingGraph.tasks("server", options.servers()).stream(),
                TrainingGraph.tasks("worker", options.workers()).stream()).toList();
    }

    /** How many iterations see the training set once; images that do not fill a last one are left out. */
    public static int iterationsPerEpoch(TrainingOptions options, TrainingData data) {
        return MiniBatches.iterationsPerEpoch(data.trainCount(), options.workers(), options.batch());
    }

    /**
     * Everything in this process, no transfer; one worker with a mini-batch of {@link TrainingOptions#batch()}.
     *
     * @throws IllegalArgumentException as {@link #check}, also if the options want more than one worker
     * @throws CheckpointException if it is to go on from a checkpoint that is damaged, missing, or of other options
     * @throws TrainingException if OpenBLAS cannot be loaded or the loss is no longer a number, in one line
     */
    public static TrainingResult local(TrainingOptions options, TrainingData data, TrainingListener listener) {
        check(options, data);
        if (options.workers() != 1) {
            throw new IllegalArgumentException("workers=" + options.workers() + " in one process; give workers=1, and "
                    + "workers times the batch for the same mini-batches");
        }
        // First of all: where it cannot be loaded, nobody shall have been connected to.
        Blas.get().useThreads(options.blasThreads());
        draw(data);
        TrainingGraph.checkpoints(options, data, TrainingGraph.LOCAL_TASK).check();
        TrainingGraph graph = TrainingGraph.local(options, data);
        try (Session session = Sessions.local(graph.graph(), sessionOptions(options))) {
            return work(options, data, graph, TrainingGraph.LOCAL_TASK, 0, session, null, false, listener);
        }
    }

    /**
     * One task of a cluster.
     *
     * @param data for a server its {@linkplain TrainingData#facts facts} are enough
     * @param cluster the endpoint of every task of {@link #tasks}
     * @param device this task's; the caller closes it
     * @throws IllegalArgumentException as {@link #check}, or if the task is none of {@link #tasks}
     * @throws CheckpointException if it is to go on from a checkpoint that is damaged, missing, or of other options
     * @throws TrainingException if OpenBLAS cannot be loaded or this worker's loss is no longer a number, in one line
     * @throws dev.verbena.transfer.TransferException if a peer is lost
     */
    public static TrainingResult task(TrainingOptions options, TrainingData data, String task,
            Map<String, Endpoint> cluster, RdmaDevice device, TrainingListener listener) {
        return task(options, data, task, cluster, device, null, listener);
    }

    /**
     * The same.
     *
     * @param carrier what carries tensors between tasks in place of the device; null for the device itself. All tasks have one, or none has
     */
    public static TrainingResult task(TrainingOptions options, TrainingData data, String task,
            Map<String, Endpoint> cluster, RdmaDevice device, EdgeCarrier carrier, TrainingListener listener) {
        check(options, data);
        if (!tasks(options).contains(task)) {
            throw new IllegalArgumentException(
                    "unknown task='" + task + "'; known are " + String.join(", ", tasks(options)));
        }
        Blas.get().useThreads(options.blasThreads());
        int worker = TrainingGraph.tasks("worker", options.workers()).indexOf(task);
        if (worker >= 0) {
            draw(data); // As long as nobody waits for it.
        }
        if (worker < 0) {
            TrainingGraph.checkpoints(options, data, task).check();
        }
        TrainingGraph graph = TrainingGraph.distributed(options, data);
        Traces traces = Traces.of(options, graph);
        boolean hadTrace = traces.isThere(task);
        try (Session session = Sessions.distributed(graph.graph(), task, cluster, device,
                sessionOptions(options).withTrace(traces.file(task)).withCarrier(carrier), listener)) {
            try {
                return worker >= 0
                        ? work(options, data, graph, task, worker, session, device, hadTrace, listener)
                        : serve(options, data, graph, task, session, device, hadTrace);
            } catch (TrainingException | CheckpointException e) {
                listener.onFailure(e);
                throw e;
            }
        }
    }

    /**
     * The tasks that would begin with what an earlier start has learned, of those whose traces are in a directory of this host.
     *
     * @throws TrainingException if a trace is damaged
     */
    public static List<String> traced(TrainingOptions options, TrainingData data) {
        if (options.traces() == null) {
            return List.of();
        }
        Traces traces = Traces.of(options, TrainingGraph.distributed(options, data));
        return tasks(options).stream().filter(traces::isThere).toList();
    }

    /** What a training runs: all tasks' nodes; with those that bring the variables to who measures. */
    public static Graph graph(TrainingOptions options, TrainingData data, boolean isLocal) {
        return (isLocal ? TrainingGraph.local(options, data) : TrainingGraph.distributed(options, data)).graph();
    }

    /** Whether a node is there to measure with, and no step runs it. */
    public static boolean isSnapshot(Graph.Node node) {
        return node.operation() instanceof Snapshot;
    }

    /**
     * What crosses in a training, how, and what each task registers for it.
     *
     * @param graph of the training, all of it
     * @param isCarried whether tasks have an {@link EdgeCarrier}
     * @param mapsPeerMemory whether the fabric of their devices does
     */
    public static TransferPlan plan(Graph graph, TrainingOptions options, boolean isCarried, boolean mapsPeerMemory) {
        TransferPlan plan = sessionOptions(options).plan(graph, mapsPeerMemory);
        return isCarried ? plan.carried() : plan;
    }

    /** Registered memory that all tasks together will ask for, before anything starts; bytes. */
    public static long plannedByteSize(TransferPlan plan, TrainingOptions options) {
        return tasks(options).stream().mapToLong(plan::plannedByteSize).sum();
    }

    /** @throws IllegalArgumentException with one clear line if the options cannot be run on the data */
    public static void check(TrainingOptions options, TrainingData data) {
        Model model = Model.named(options.model());
        requirePositive("workers", options.workers());
        requirePositive("servers", options.servers());
        requirePositive("batch", options.batch());
        requirePositive("iterations", options.iterations());
        requirePositive("blasThreads", options.blasThreads());
        if (options.validateEvery() < 0) {
            throw new IllegalArgumentException("validateEvery=" + options.validateEvery()
                    + "; give the number of epochs between two measurements, or 0 for none but the last");
        }
        if (options.copy() && options.traces() != null) {
            throw new IllegalArgumentException("traces=" + options.traces()
                    + " where senders copy: nothing is learned then; leave one of the two out");
        }
        if (!options.timeout().isPositive() || options.timeout().compareTo(TrainingDefaults.TIMEOUT_MAX) > 0) {
            throw new IllegalArgumentException("timeout=" + options.timeout() + "; give more than 0 and at most "
                    + TrainingDefaults.TIMEOUT_MAX);
        }
        if (!(options.learningRate() > 0) || Float.isInfinite(options.learningRate())) {
            throw new IllegalArgumentException("lr=" + options.learningRate() + "; give a positive number such as "
                    + model.learningRate());
        }
        long examples = (long) options.workers() * options.batch();
        if (examples > data.trainCount()) {
            throw new IllegalArgumentException(
                    "workers=" + options.workers() + " with batch=" + options.batch() + " take "
                            + examples + " examples at a time, but the training set has " + data.trainCount()
                            + "; give a smaller batch or fewer workers");
        }
        if (options.firstIteration() >= options.iterations()) {
            throw new IllegalArgumentException("iterations=" + options.iterations() + ", and the checkpoint is of "
                    + options.firstIteration() + ": nothing is left to do; give more iterations");
        }
        int variables = Parameters.of(model, data).all().size();
        if (options.servers() > variables) {
            throw new IllegalArgumentException("servers=" + options.servers() + " for the " + variables
                    + " variables of model=" + options.model() + "; give at most servers=" + variables);
        }
    }

    /**
     * The last iteration of which every task that has variables left a checkpoint in a directory that all can reach; 0 if there is none.
     *
     * @throws CheckpointException if the directory cannot be read
     */
    public static int lastCheckpoint(Path directory, List<String> tasks) {
        NavigableSet<Integer> common = null;
        for (String task : tasks) {
            NavigableSet<Integer> iterations = Checkpoints.iterations(directory, task);
            if (common == null) {
                common = iterations;
            }
            common.retainAll(iterations);
        }
        return common == null || common.isEmpty() ? 0 : common.last();
    }

    /** Whether a task keeps variables, and so needs no more than the facts of the data. */
    public static boolean isServer(String task) {
        return task.startsWith("server:");
    }

    /** The tasks that have variables, and so write checkpoints. */
    public static List<String> tasksWithVariables(TrainingOptions options, boolean isLocal) {
        return isLocal ? List.of(TrainingGraph.LOCAL_TASK) : TrainingGraph.tasks("server", options.servers());
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + "; give at least 1");
        }
    }

    private static SessionOptions sessionOptions(TrainingOptions options) {
        // Who trains sets the session up, too, and no kernel of a model is asynchronous.
        return new SessionOptions(!options.copy(), 1, options.timeout()).withAllocatingThreads(1);
    }

    private static TrainingResult work(TrainingOptions options, TrainingData data, TrainingGraph graph, String task,
            int worker, Session session, RdmaDevice device, boolean hadTrace, TrainingListener listener) {
        WorkerLoop loop = new WorkerLoop(options, data, graph, worker);
        try (TensorArena arena = feedArena(data, device)) {
            // In one process the variables are here, in a cluster on the servers.
            Checkpoints checkpoints = TrainingGraph.checkpoints(
                    device == null ? options : options.withCheckpoints(null), data, task);
            loop.run(session, arena, device, checkpoints, listener);
            // Figures of the training alone: the run that fetches the variables is none of its iterations.
            TrainingResult trained = result(task, loop.lossCurve(), loop.imagesPerSecond(), session, device, hadTrace,
                    loop.times());
            if (worker > 0) {
                return trained;
            }
            loop.validate(session, arena, device, options.iterations(), listener);
            return trained.with(loop.validations());
        }
    }

    private static TrainingResult serve(TrainingOptions options, TrainingData data, TrainingGraph graph, String task,
            Session session, RdmaDevice device, boolean hadTrace) {
        Checkpoints checkpoints = TrainingGraph.checkpoints(options, data, task);
        Schedule schedule = Schedule.of(options, data);
        IterationTimer timer = new IterationTimer(options.iterations() - options.firstIteration(), System::nanoTime);
        timer.begin();
        for (int iteration = options.firstIteration(); iteration < options.iterations(); iteration++) {
            session.run(Map.of(), List.of(), graph.steps());
            RunTimes step = session.latestTimes();
            checkpoints.write(session, graph.graph(), iteration + 1);
            timer.end(step);
            if (schedule.isMeasuredAfter(iteration + 1)) {
                session.run(Map.of(), List.of(), graph.snapshots());
                timer.begin();
            }
        }
        TrainingResult served = result(task, new double[0], 0, session, device, hadTrace, timer.times());
        session.run(Map.of(), List.of(), graph.snapshots());
        return served;
    }

    /** What would be drawn when it is first needed, at a time that counts. */
    private static void draw(TrainingData data) {
        if (data instanceof Dataset images) {
            images.draw();
        }
    }

    /** For mini-batches. Ids of characters go to the servers as they are fed, and so lie where peers may read them. */
    private static TensorArena feedArena(TrainingData data, RdmaDevice device) {
        SlabSource source = device != null && data instanceof TextCorpus
                ? device.readableSlabSource()
                : new OffHeapSlabSource();
        return TensorArena.create(source, FEED_BYTE_SIZE, Long.MAX_VALUE);
    }

    private static TrainingResult result(String task, double[] lossCurve, double imagesPerSecond, Session session,
            RdmaDevice device, boolean hadTrace, IterationTimes times) {
        return new TrainingResult(task, lossCurve, Double.NaN, Double.NaN, imagesPerSecond, session.statistics(),
                device == null ? 0 : device.statistics().registeredByteSize(),
                device == null ? 0 : device.statistics().registrationNs(), hadTrace, times, List.of());
    }
}
