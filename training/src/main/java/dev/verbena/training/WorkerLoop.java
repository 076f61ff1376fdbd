package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.run.RunTimes;
import dev.verbena.graph.run.Session;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.transfer.RdmaDevice;
import dev.verbena.training.checkpoint.Checkpoints;
import dev.verbena.training.model.Model;

/**
 * What one worker does: gathers its mini-batch, runs the step, reads the loss; again and again.
 *
 * <p><b>Owner:</b> {@link Training}. <b>Threading:</b> confined to one thread.
 */
final class WorkerLoop {
    private final TrainingOptions options;
    private final TrainingData data;
    private final TrainingGraph graph;
    private final int worker;
    private final double[] lossCurve;
    private final IterationTimer timer;
    private final List<Validation> validations = new ArrayList<>();
    private long elapsedNs;

    WorkerLoop(TrainingOptions options, TrainingData data, TrainingGraph graph, int worker) {
        this.options = options;
        this.data = data;
        this.graph = graph;
        this.worker = worker;
        this.lossCurve = new double[options.iterations() - options.firstIteration()];
        this.timer = new IterationTimer(lossCurve.length, System::nanoTime);
    }

    /**
     * All iterations.
     *
     * @param arena where the fed tensors live
     * @param device of a task of a cluster; null in one process
     * @throws TrainingException when the loss is no longer a number
     */
    void run(Session session, TensorArena arena, RdmaDevice device, Checkpoints checkpoints,
            TrainingListener listener) {
        Batches batches = Batches.of(data, options, worker);
        Schedule schedule = Schedule.of(options, data);
        timer.begin();
        long startNs = System.nanoTime();
        for (int done = 0; done < lossCurve.length; done++) {
            int iteration = options.firstIteration() + done;
            List<Tensor> batch = batches.next(iteration, arena);
            try (Tensor loss = session.run(feeds(batch), List.of(graph.losses().get(worker)), graph.steps())
                    .getFirst()) {
                lossCurve[done] = loss.memory().getAtIndex(JAVA_FLOAT, 0);
            } finally {
                batch.forEach(Tensor::close);
            }
            RunTimes step = session.latestTimes();
            elapsedNs = System.nanoTime() - startNs;
            listener.onIteration(iteration, lossCurve[done], imagesPerSecond(done + 1));
            checkFinite(iteration, lossCurve[done]);
            checkpoints.write(session, graph.graph(), iteration + 1);
            timer.end(step);
            if (schedule.isMeasuredAfter(iteration + 1) && worker == 0) {
                long measuringNs = System.nanoTime();
                validate(session, arena, device, iteration + 1, listener);
                startNs += System.nanoTime() - measuringNs;
                timer.begin();
            }
        }
    }

    private Map<String, Tensor> feeds(List<Tensor> batch) {
        List<Node> nodes = graph.feeds().get(worker);
        Map<String, Tensor> feeds = new HashMap<>();
        for (int i = 0; i < nodes.size(); i++) {
            feeds.put(nodes.get(i).name(), batch.get(i));
        }
        return feeds;
    }

    /** One run that does nothing but bring the variables here, and how good they are. */
    void validate(Session session, TensorArena arena, RdmaDevice device, int done, TrainingListener listener) {
        List<Node> snapshots = graph.snapshots();
        try (AnsweringThread _ = device == null ? null : new AnsweringThread(device)) {
            List<Tensor> tensors = session.run(Map.of(), snapshots.stream().map(Node::output).toList(), List.of());
            try {
                Map<String, Tensor> variables = new HashMap<>();
                for (int i = 0; i < tensors.size(); i++) {
                    variables.put(snapshots.get(i).inputs().getFirst().node().name(), tensors.get(i));
                }
                Evaluation measured = Evaluation.of(Model.named(options.model()), variables, data, arena);
                validations.add(new Validation(done, measured.accuracy(), measured.perplexity()));
            } finally {
                tensors.forEach(Tensor::close);
            }
        }
        listener.onValidation(validations.getLast());
    }

    /** So far. */
    List<Validation> validations() {
        return validations;
    }

    IterationTimes times() {
        return timer.times();
    }

    double[] lossCurve() {
        return lossCurve;
    }

    double imagesPerSecond() {
        return imagesPerSecond(lossCurve.length);
    }

    private double imagesPerSecond(int iterations) {
        return (double) iterations * options.batch() * 1e9 / Math.max(1, elapsedNs);
    }

    private void checkFinite(int iteration, double loss) {
        if (!Double.isFinite(loss)) {
            throw new TrainingException(
                    "training diverged: loss=" + loss + " at iteration=" + iteration
                            + "; give a smaller learning rate than lr=" + options.learningRate());
        }
    }
}
