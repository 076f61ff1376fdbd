package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.run.Session;
import dev.verbena.graph.run.SessionOptions;
import dev.verbena.graph.run.Sessions;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.training.data.ImageSet;
import dev.verbena.training.data.SequenceSet;
import dev.verbena.training.model.Layers;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Pass;

/**
 * How good a trained model is on examples that it has not learned from: a forward pass in a graph of its own, fed with the variables where
 * they lie.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param accuracy share of images that are put into the right class; NaN of a text
 * @param perplexity how many characters the model wavers between, at each: the exponential of the mean loss; NaN of images
 */
record Evaluation(double accuracy, double perplexity) {
    /** Where nothing was measured. */
    static final Evaluation NONE = new Evaluation(Double.NaN, Double.NaN);
    private static final int BATCH_MAX = 256;
    /** Of a mini-batch of images: what a model makes of a photograph is some hundred times as large. */
    private static final int PIXELS_MAX = 1 << 20;

    /** @param variables of the model by name; the caller keeps them */
    static Evaluation of(Model model, Map<String, Tensor> variables, TrainingData data, TensorArena arena) {
        Graph graph = new Graph();
        // The last batch may be smaller: how many examples there are is known at run time.
        Pass pass = model.add(new Layers(graph, TrainingGraph.LOCAL_TASK, "", parameter -> graph
                .add(parameter.name(), TrainingGraph.LOCAL_TASK, new Feed(parameter.type())).output()), data,
                Dimension.symbol("batch"));
        try (Session session = Sessions.local(graph, SessionOptions.defaults())) {
            return switch (data) {
                case Dataset images -> new Evaluation(accuracy(session, pass, variables, images, arena), Double.NaN);
                case TextCorpus text -> new Evaluation(Double.NaN, perplexity(session, pass, variables, text, arena));
                case DataFacts facts -> throw facts.isNoData();
            };
        }
    }

    private static double accuracy(Session session, Pass pass, Map<String, Tensor> variables, Dataset data,
            TensorArena arena) {
        ImageSet set = data.test();
        int[] order = IntStream.range(0, set.count()).toArray();
        int correct = 0;
        int most = Math.clamp(PIXELS_MAX / set.featureCount(), 1, BATCH_MAX);
        for (int from = 0; from < set.count(); from += most) {
            int batch = Math.min(most, set.count() - from);
            try (Tensor images = arena.allocate(ElementType.FLOAT32, Shape.of(batch, set.featureCount()));
                    Tensor labels = arena.allocate(ElementType.INT32, Shape.of(batch))) {
                set.gather(order, from, images, labels);
                try (Tensor logits = run(session, pass, variables, List.of(images, labels), pass.logits())) {
                    correct += countCorrect(logits, set, from);
                }
            }
        }
        return (double) correct / set.count();
    }

    /** Images from {@code from} on whose largest logit, the first of equals, is that of their class. */
    static int countCorrect(Tensor logits, ImageSet set, int from) {
        MemorySegment memory = logits.memory();
        int classes = Math.toIntExact(logits.shape().dimension(1));
        int correct = 0;
        for (int row = 0; row < logits.shape().dimension(0); row++) {
            long start = (long) row * classes;
            int best = 0;
            for (int j = 1; j < classes; j++) {
                if (memory.getAtIndex(JAVA_FLOAT, start + j) > memory.getAtIndex(JAVA_FLOAT, start + best)) {
                    best = j;
                }
            }
            correct += best == set.label(from + row) ? 1 : 0;
        }
        return correct;
    }

    private static double perplexity(Session session, Pass pass, Map<String, Tensor> variables, TextCorpus text,
            TensorArena arena) {
        SequenceSet set = text.heldOut();
        int[] order = IntStream.range(0, set.count()).toArray();
        double loss = 0;
        long steps = 0;
        for (int from = 0; from < set.count(); from += BATCH_MAX) {
            int batch = Math.min(BATCH_MAX, set.count() - from);
            int time = set.steps(order, from, batch);
            try (Tensor inputs = arena.allocate(ElementType.INT32, Shape.of(time, batch));
                    Tensor labels = arena.allocate(ElementType.INT32, Shape.of(time, batch));
                    Tensor lengths = arena.allocate(ElementType.INT32, Shape.of(batch))) {
                set.gather(order, from, inputs, labels, lengths);
                long counted = IntStream.range(from, from + batch).mapToLong(set::length).sum();
                try (Tensor mean = run(session, pass, variables, List.of(inputs, labels, lengths), pass.loss())) {
                    loss += mean.memory().getAtIndex(JAVA_FLOAT, 0) * (double) counted;
                }
                steps += counted;
            }
        }
        return Math.exp(loss / steps);
    }

    private static Tensor run(Session session, Pass pass, Map<String, Tensor> variables, List<Tensor> fed,
            Output fetched) {
        Map<String, Tensor> feeds = new HashMap<>(variables);
        for (int i = 0; i < fed.size(); i++) {
            feeds.put(pass.feeds().get(i).name(), fed.get(i));
        }
        return session.run(feeds, List.of(fetched), List.of()).getFirst();
    }
}
