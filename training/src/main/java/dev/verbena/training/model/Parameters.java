package dev.verbena.training.model;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Feed;
import dev.verbena.graph.Graph;
import dev.verbena.memory.Tensor;
import dev.verbena.training.TrainingData;
import dev.verbena.training.data.SeededRandom;

/**
 * The variables of a model: first the weights of all layers, then all biases, so that servers that take them in turn get
 * some of the large ones each.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
public record Parameters(List<Parameter> all) {
    private static final String TASK = "none";

    /** What the model asks for as its layers are added to a graph that nobody runs. */
    public static Parameters of(Model model, TrainingData data) {
        Graph graph = new Graph();
        List<Parameter> asked = new ArrayList<>();
        Layers layers = new Layers(graph, TASK, "layers/", parameter -> {
            asked.add(parameter);
            return graph.add(parameter.name(), TASK, new Feed(parameter.type())).output();
        });
        model.add(layers, data, Dimension.symbol("batch"));
        return new Parameters(Stream.concat(asked.stream().filter(Parameter::isWeight),
                asked.stream().filter(parameter -> !parameter.isWeight())).toList());
    }

    /**
     * Fills a variable with its first values: weights uniform with variance 2 / inputs, which keeps the scale of the signal
     * through layers that pass about half of it; biases 0. The same for a seed and a variable, whoever's memory it is.
     *
     * <p>Source: He, Zhang, Ren, Sun, <i>Delving deep into rectifiers</i>, 2015, §2.2.
     */
    public Consumer<Tensor> initializer(int index, long seed) {
        Parameter parameter = all.get(index);
        return variable -> {
            MemorySegment memory = variable.memory();
            if (!parameter.isWeight()) {
                memory.fill((byte) 0);
                return;
            }
            SeededRandom random = new SeededRandom(seed, SeededRandom.Purpose.WEIGHTS, index);
            // Uniform in [-limit, limit) has variance limit^2 / 3.
            float limit = (float) Math.sqrt(6.0 / parameter.fanIn());
            long count = variable.shape().elementCount();
            for (long i = 0; i < count; i++) {
                memory.setAtIndex(JAVA_FLOAT, i, random.nextFloat(-limit, limit));
            }
        };
    }
}
