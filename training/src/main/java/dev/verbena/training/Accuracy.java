package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Node;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.PartialShape;
import dev.verbena.graph.Session;
import dev.verbena.graph.SessionOptions;
import dev.verbena.graph.Sessions;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;

/**
 * The share of images that a trained network puts into the right class: a forward pass in a graph of its own, fed with the
 * variables where they lie.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> confined to the call.
 */
final class Accuracy {
    private static final String IMAGES = "images";
    static final int BATCH_MAX = 256;

    private Accuracy() {}

    /** @param variables in the order of {@link Parameters#all()}; the caller keeps them */
    static double measure(Parameters parameters, List<Tensor> variables, ImageSet set, TensorArena arena) {
        Graph graph = new Graph();
        Map<String, Tensor> feeds = new HashMap<>();
        List<Output> variableFeeds = new ArrayList<>();
        for (Parameters.Parameter parameter : parameters.all()) {
            feeds.put(parameter.name(), variables.get(variableFeeds.size()));
            variableFeeds
                    .add(graph.add(parameter.name(), TrainingGraph.LOCAL_TASK, new Feed(parameter.type())).output());
        }
        // The last batch may be smaller: how many images there are is known at run time.
        Node images = graph.add(IMAGES, TrainingGraph.LOCAL_TASK,
                new Feed(TensorType.of(ElementType.FLOAT32, PartialShape.UNKNOWN, parameters.widths()[0])));
        Output logits = new Network(graph, TrainingGraph.LOCAL_TASK, "", parameters, variableFeeds)
                .forward(images.output()).getLast();
        try (Session session = Sessions.local(graph, SessionOptions.defaults())) {
            return (double) countCorrect(session, feeds, logits, set, arena) / set.count();
        }
    }

    private static int countCorrect(Session session, Map<String, Tensor> feeds, Output logits, ImageSet set,
            TensorArena arena) {
        int[] order = IntStream.range(0, set.count()).toArray();
        int correct = 0;
        for (int from = 0; from < set.count(); from += BATCH_MAX) {
            int batch = Math.min(BATCH_MAX, set.count() - from);
            try (Tensor images = arena.allocate(ElementType.FLOAT32, Shape.of(batch, set.featureCount()));
                    Tensor labels = arena.allocate(ElementType.INT32, Shape.of(batch))) {
                set.gather(order, from, images, labels);
                feeds.put(IMAGES, images);
                try (Tensor result = session.run(feeds, List.of(logits), List.of()).getFirst()) {
                    correct += countCorrect(result, set, from);
                }
            }
        }
        return correct;
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
}
