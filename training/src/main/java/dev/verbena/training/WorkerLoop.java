package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.util.List;
import java.util.Map;

import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Session;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * What one worker does: gathers its mini-batch, runs the step, reads the loss; again and again.
 *
 * <p><b>Owner:</b> {@link Training}. <b>Threading:</b> confined to one thread.
 */
final class WorkerLoop {
    private final TrainingOptions options;
    private final Dataset data;
    private final TrainingGraph graph;
    private final int worker;
    private final double[] lossCurve;
    private long elapsedNs;

    WorkerLoop(TrainingOptions options, Dataset data, TrainingGraph graph, int worker) {
        this.options = options;
        this.data = data;
        this.graph = graph;
        this.worker = worker;
        this.lossCurve = new double[options.iterations()];
    }

    /**
     * All iterations.
     *
     * @param arena where the fed tensors live
     * @throws IllegalStateException when the loss is no longer a number
     */
    void run(Session session, TensorArena arena, TrainingListener listener) {
        MiniBatches miniBatches = new MiniBatches(data.train(), options, worker);
        try (Tensor images = arena.allocate(ElementType.FLOAT32, Shape.of(options.batch(), data.featureCount()));
                Tensor labels = arena.allocate(ElementType.INT32, Shape.of(options.batch()))) {
            Map<String, Tensor> feeds = Map.of(graph.images().get(worker).name(), images,
                    graph.labels().get(worker).name(), labels);
            long startNs = System.nanoTime();
            for (int iteration = 0; iteration < lossCurve.length; iteration++) {
                miniBatches.gather(iteration, images, labels);
                try (Tensor loss = session.run(feeds, List.of(graph.losses().get(worker)), graph.steps()).getFirst()) {
                    lossCurve[iteration] = loss.memory().getAtIndex(JAVA_FLOAT, 0);
                }
                elapsedNs = System.nanoTime() - startNs;
                listener.onIteration(iteration, lossCurve[iteration], imagesPerSecond(iteration + 1));
                checkFinite(iteration);
            }
        }
    }

    /** One run that does nothing but bring the variables here, and the accuracy that they reach. */
    double testAccuracy(Session session, TensorArena arena) {
        List<Tensor> variables = session.run(Map.of(), graph.snapshots().stream().map(Node::output).toList(),
                List.of());
        try {
            return Accuracy.measure(TrainingGraph.parameters(options, data), variables, data.test(), arena);
        } finally {
            variables.forEach(Tensor::close);
        }
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

    private void checkFinite(int iteration) {
        if (!Double.isFinite(lossCurve[iteration])) {
            throw new IllegalStateException(
                    "training diverged: loss=" + lossCurve[iteration] + " at iteration=" + iteration
                            + "; give a smaller learning rate than lr=" + options.learningRate());
        }
    }
}
