package dev.verbena.training;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import dev.verbena.graph.Session;
import dev.verbena.graph.SessionOptions;
import dev.verbena.graph.Sessions;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.Shape;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.Endpoint;
import dev.verbena.transfer.RdmaDevice;

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
    private static final Duration PEER_TIMEOUT = Duration.ofSeconds(60);

    private Training() {}

    /** Task names, servers first: {@code server:0 .. worker:0 ..}. */
    public static List<String> tasks(TrainingOptions options) {
        return Stream.concat(TrainingGraph.tasks("server", options.servers()).stream(),
                TrainingGraph.tasks("worker", options.workers()).stream()).toList();
    }

    /** How many iterations see the training set once; images that do not fill a last one are left out. */
    public static int iterationsPerEpoch(TrainingOptions options, Dataset data) {
        return MiniBatches.iterationsPerEpoch(data.trainCount(), options.workers(), options.batch());
    }

    /**
     * Everything in this process, no transfer; one worker with a mini-batch of {@link TrainingOptions#batch()}.
     *
     * @throws IllegalArgumentException as {@link #check}, also if the options want more than one worker
     * @throws IllegalStateException if OpenBLAS cannot be loaded or the loss is no longer a number, in one line
     */
    public static TrainingResult local(TrainingOptions options, Dataset data, TrainingListener listener) {
        check(options, data);
        if (options.workers() != 1) {
            throw new IllegalArgumentException("workers=" + options.workers() + " in one process; give workers=1, and "
                    + "workers times the batch for the same mini-batches");
        }
        // First of all: where it cannot be loaded, nobody shall have been connected to.
        Blas.get();
        data.draw();
        TrainingGraph graph = TrainingGraph.local(options, data);
        try (Session session = Sessions.local(graph.graph(), sessionOptions(options))) {
            return work(options, data, graph, TrainingGraph.LOCAL_TASK, 0, session, null, listener);
        }
    }

    /**
     * One task of a cluster.
     *
     * @param cluster the endpoint of every task of {@link #tasks}
     * @param device this task's; the caller closes it
     * @throws IllegalArgumentException as {@link #check}, or if the task is none of {@link #tasks}
     * @throws IllegalStateException if OpenBLAS cannot be loaded or this worker's loss is no longer a number, in one line
     * @throws dev.verbena.transfer.TransferException if a peer is lost
     */
    public static TrainingResult task(TrainingOptions options, Dataset data, String task, Map<String, Endpoint> cluster,
            RdmaDevice device, TrainingListener listener) {
        check(options, data);
        if (!tasks(options).contains(task)) {
            throw new IllegalArgumentException(
                    "unknown task='" + task + "'; known are " + String.join(", ", tasks(options)));
        }
        Blas.get();
        int worker = TrainingGraph.tasks("worker", options.workers()).indexOf(task);
        if (worker >= 0) {
            data.draw(); // As long as nobody waits for it.
        }
        TrainingGraph graph = TrainingGraph.distributed(options, data);
        try (Session session = Sessions.distributed(graph.graph(), task, cluster, device, sessionOptions(options),
                listener)) {
            return worker >= 0
                    ? work(options, data, graph, task, worker, session, device, listener)
                    : serve(options, graph, task, session, device);
        }
    }

    /** Registered memory that all tasks together will ask for, before anything starts; bytes. */
    public static long plannedByteSize(TrainingOptions options, Dataset data) {
        TrainingGraph graph = TrainingGraph.distributed(options, data);
        return tasks(options).stream()
                .mapToLong(task -> Sessions.plannedByteSize(graph.graph(), task, sessionOptions(options))).sum();
    }

    /** @throws IllegalArgumentException with one clear line if the options cannot be run on the data */
    public static void check(TrainingOptions options, Dataset data) {
        Model model = Model.named(options.model());
        requirePositive("workers", options.workers());
        requirePositive("servers", options.servers());
        requirePositive("batch", options.batch());
        requirePositive("iterations", options.iterations());
        if (!(options.learningRate() > 0) || Float.isInfinite(options.learningRate())) {
            throw new IllegalArgumentException("lr=" + options.learningRate() + "; give a positive number such as "
                    + model.learningRate());
        }
        long images = (long) options.workers() * options.batch();
        if (images > data.trainCount()) {
            throw new IllegalArgumentException(
                    "workers=" + options.workers() + " with batch=" + options.batch() + " take "
                            + images + " images at a time, but the training set has " + data.trainCount()
                            + "; give a smaller batch or fewer workers");
        }
        if (options.servers() > model.variableCount()) {
            throw new IllegalArgumentException("servers=" + options.servers() + " for the " + model.variableCount()
                    + " variables of model=" + options.model() + "; give at most servers=" + model.variableCount());
        }
    }

    private static void requirePositive(String name, int value) {
        if (value < 1) {
            throw new IllegalArgumentException(name + "=" + value + "; give at least 1");
        }
    }

    private static SessionOptions sessionOptions(TrainingOptions options) {
        return new SessionOptions(!options.copy(), 1, PEER_TIMEOUT);
    }

    private static TrainingResult work(TrainingOptions options, Dataset data, TrainingGraph graph, String task,
            int worker, Session session, RdmaDevice device, TrainingListener listener) {
        WorkerLoop loop = new WorkerLoop(options, data, graph, worker);
        try (TensorArena arena = feedArena(options, data)) {
            loop.run(session, arena, listener);
            // Figures of the training alone: the run that fetches the variables is none of its iterations.
            TrainingResult trained = result(task, loop.lossCurve(), loop.imagesPerSecond(), session, device);
            return worker == 0 ? withAccuracy(trained, loop.testAccuracy(session, arena)) : trained;
        }
    }

    private static TrainingResult serve(TrainingOptions options, TrainingGraph graph, String task, Session session,
            RdmaDevice device) {
        for (int iteration = 0; iteration < options.iterations(); iteration++) {
            session.run(Map.of(), List.of(), graph.steps());
        }
        TrainingResult served = result(task, new double[0], 0, session, device);
        session.run(Map.of(), List.of(), graph.snapshots());
        return served;
    }

    /** Unregistered memory for a mini-batch and for a batch of the test. */
    private static TensorArena feedArena(TrainingOptions options, Dataset data) {
        int rows = Math.max(options.batch(), Accuracy.BATCH_MAX);
        long byteSize = Shape.of(rows, data.featureCount() + 1L).byteSize(ElementType.FLOAT32);
        return TensorArena.create(new OffHeapSlabSource(), 3 * byteSize, Long.MAX_VALUE);
    }

    private static TrainingResult result(String task, double[] lossCurve, double imagesPerSecond, Session session,
            RdmaDevice device) {
        return new TrainingResult(task, lossCurve, Double.NaN, imagesPerSecond, session.statistics(),
                device == null ? 0 : device.statistics().registeredByteSize(),
                device == null ? 0 : device.statistics().registrationNs());
    }

    private static TrainingResult withAccuracy(TrainingResult result, double accuracy) {
        return new TrainingResult(result.task(), result.lossCurve(), accuracy, result.imagesPerSecond(),
                result.session(), result.registeredByteSize(), result.registrationNs());
    }
}
