package dev.verbena.graph.gradient;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.graph.Graph.Output;
import dev.verbena.graph.Identity;
import dev.verbena.graph.Operation;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Gradients of random graphs are the slopes of their losses. */
class GradientsProperties {
    private static final double STEP = 1e-5;

    @Property(tries = 500)
    void everyGradientIsTheSlopeOfTheLoss(@ForAll long seed, @ForAll @IntRange(min = 1, max = 4) int feedCount,
            @ForAll @IntRange(min = 0, max = 12) int nodeCount) {
        Random random = new Random(seed);
        Graph graph = new Graph();
        List<Output> feeds = new ArrayList<>();
        Map<Output, Double> values = new HashMap<>();
        for (int i = 0; i < feedCount; i++) {
            feeds.add(graph.add("feed" + i, "task", new Feed(Scalars.SCALAR)).output());
            values.put(feeds.get(i), random.nextDouble(-1, 1));
        }
        List<Output> outputs = new ArrayList<>(feeds);
        for (int i = 0; i < nodeCount; i++) {
            outputs.addAll(addNode(graph, "node" + i, outputs, random));
        }
        // All feeds and most nodes count; some nodes lead nowhere.
        List<Output> terms = new ArrayList<>(feeds);
        outputs.stream().filter(output -> random.nextInt(3) == 0).forEach(terms::add);
        Output sum = graph.add("sum", "task", new Scalars.Sum(), terms.toArray(Output[]::new)).output();
        Output loss = graph.add("loss", "task", new Scalars.HalfSquare(), sum).output();

        List<Output> gradients = Gradients.append(graph, loss, feeds, Scalars.RULES);

        Map<Output, Double> computed = Scalars.evaluate(graph, values);
        for (int i = 0; i < feedCount; i++) {
            double above = Scalars.evaluate(graph, moved(values, feeds.get(i), STEP)).get(loss);
            double below = Scalars.evaluate(graph, moved(values, feeds.get(i), -STEP)).get(loss);
            double slope = (above - below) / (2 * STEP);
            assertEquals(slope, computed.get(gradients.get(i)), 1e-6 * Math.max(1, Math.abs(slope)), "by feed" + i);
        }
    }

    private static List<Output> addNode(Graph graph, String name, List<Output> from, Random random) {
        Operation operation = switch (random.nextInt(5)) {
            case 0 -> new Scalars.Sum();
            case 1 -> new Scalars.Product();
            case 2 -> new Scalars.Negation();
            case 3 -> new Identity();
            default -> new Scalars.Rotation();
        };
        int inputCount = operation instanceof Scalars.Sum || operation instanceof Scalars.Product ? 2 : 1;
        Output[] inputs = new Output[inputCount];
        for (int i = 0; i < inputCount; i++) {
            inputs[i] = from.get(random.nextInt(from.size()));
        }
        Graph.Node node = graph.add(name, "task", operation, inputs);
        List<Output> outputs = new ArrayList<>();
        for (int i = 0; i < node.outputTypes().size(); i++) {
            outputs.add(node.output(i));
        }
        return outputs;
    }

    private static Map<Output, Double> moved(Map<Output, Double> values, Output feed, double by) {
        Map<Output, Double> moved = new HashMap<>(values);
        moved.merge(feed, by, Double::sum);
        return moved;
    }
}
