package dev.verbena.training;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.verbena.graph.Graph.Node;
import dev.verbena.memory.Tensor;
import dev.verbena.memory.TensorArena;
import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.training.model.AlexNet;
import dev.verbena.training.model.InceptionV3;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameter;
import dev.verbena.training.model.Parameters;
import dev.verbena.training.model.VggNet16;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * That the rules put each kernel's gradient where it belongs: in whole models, the slope of the loss along a random direction is that of
 * all gradients together. In single precision, so kernels themselves are looked at more closely in tests of their own.
 */
class ModelGradientTest {
    private static final float STEP = 2e-3f;

    @Test
    void ofImages() {
        check("cnn", Dataset.synthetic(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {"lstm", "gru"})
    void ofATextWhoseLinesHaveLengthsOfTheirOwn(String model, @TempDir Path directory) throws Exception {
        check(model, TextCorpus.load(SmallText.write(directory), TextOptions.defaults()));
    }

    /**
     * Each with how much a step changes its loss. There are kinks, where a rectifier goes on or off or another pixel becomes a pool's
     * largest: a step five times longer passes more than sixty in the narrow AlexNet, which bend its slope by 2 %, this one a dozen.
     * Inception-v3's normalization over few pixels makes rounding errors larger: it has the longer step, more pixels, and more channels.
     */
    static List<Arguments> ofPhotographs() {
        return List.of(Arguments.of(new AlexNet(67, 16), 4e-4), Arguments.of(new VggNet16(32, 16), 4e-4),
                Arguments.of(new InceptionV3(107, 8), 2e-3));
    }

    /** Narrower ones of smaller images, which have every node that the paper's have; all variables are moved at once. */
    @ParameterizedTest
    @MethodSource
    void ofPhotographs(Model model, double lossStep) {
        Dataset data = model.synthetic(1);
        TrainingOptions options = new TrainingOptions("mlp", 1, 1, 1, 8, 3, 1, false);
        TrainingGraph graph = TrainingGraph.build(options, model, data, List.of("s"), List.of("w"));
        List<String> names = Parameters.of(model, data).all().stream().map(Parameter::name).toList();
        try (Arena scope = Arena.ofConfined();
                TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, Long.MAX_VALUE)) {
            Interpreter interpreter = new Interpreter(graph.graph(), scope, false);
            List<Tensor> batch = Batches.of(data, options, 0).next(0, arena);
            Map<String, Tensor> feeds = feeds(graph, batch);
            Map<String, Tensor> values = interpreter.run(feeds,
                    names.stream().map(name -> NetworkGradientTest.gradientOf(graph, name).node()).toList());
            float[] before = joined(names.stream().map(interpreter::variable).toList());
            float[] gradient = joined(
                    names.stream().map(name -> values.get(NetworkGradientTest.gradientOf(graph, name).toString()))
                            .toList());
            float[] direction = direction(before.length, gradient);
            double slope = product(gradient, direction, new float[gradient.length]);
            assertTrue(slope > .1, "there is no gradient to speak of: " + slope);
            float step = (float) (lossStep / slope);
            double above = loss(graph, interpreter, feeds, move(interpreter, names, before, direction, step));
            float[] highest = joined(names.stream().map(interpreter::variable).toList());
            double below = loss(graph, interpreter, feeds, move(interpreter, names, before, direction, -step));
            float[] lowest = joined(names.stream().map(interpreter::variable).toList());
            // By how far the variables have moved, which is rounded: a step may be less than ten units in a weight's last place.
            double expected = product(gradient, highest, lowest);
            assertEquals(expected, above - below, .02 * expected, () -> "slope=" + slope);
            batch.forEach(Tensor::close);
        }
    }

    /** Of the gradient and the way between two places. */
    private static double product(float[] gradient, float[] to, float[] from) {
        double sum = 0;
        for (int i = 0; i < gradient.length; i++) {
            sum += gradient[i] * ((double) to[i] - from[i]);
        }
        return sum;
    }

    private static float[] joined(List<Tensor> tensors) {
        float[] all = new float[tensors.stream().mapToInt(tensor -> (int) tensor.shape().elementCount()).sum()];
        int to = 0;
        for (Tensor tensor : tensors) {
            float[] values = HeapOfTensors.floats(tensor);
            System.arraycopy(values, 0, all, to, values.length);
            to += values.length;
        }
        return all;
    }

    /** @return one of the variables */
    private static Tensor move(Interpreter interpreter, List<String> names, float[] from, float[] direction,
            float by) {
        int first = 0;
        Tensor variable = null;
        for (String name : names) {
            variable = interpreter.variable(name);
            int end = first + (int) variable.shape().elementCount();
            move(variable, Arrays.copyOfRange(from, first, end), Arrays.copyOfRange(direction, first, end), by);
            first = end;
        }
        return variable;
    }

    private static Map<String, Tensor> feeds(TrainingGraph graph, List<Tensor> batch) {
        Map<String, Tensor> feeds = new HashMap<>();
        for (int i = 0; i < batch.size(); i++) {
            feeds.put(graph.feeds().getFirst().get(i).name(), batch.get(i));
        }
        return feeds;
    }

    private static void check(String model, TrainingData data) {
        TrainingOptions options = new TrainingOptions(model, 1, 1, 1, 4, 3, 1, false);
        TrainingGraph graph = TrainingGraph.local(options, data);
        List<Parameter> parameters = Parameters.of(Model.named(model), data).all();
        try (Arena scope = Arena.ofConfined();
                TensorArena arena = TensorArena.create(new OffHeapSlabSource(), 1 << 20, Long.MAX_VALUE)) {
            Interpreter interpreter = new Interpreter(graph.graph(), scope, false);
            List<Tensor> batch = Batches.of(data, options, 0).next(0, arena);
            Map<String, Tensor> feeds = feeds(graph, batch);
            List<Node> targets = parameters.stream()
                    .map(each -> NetworkGradientTest.gradientOf(graph, each.name()).node()).toList();
            Map<String, Tensor> values = interpreter.run(feeds, targets);
            for (Parameter parameter : parameters) {
                Tensor variable = interpreter.variable(parameter.name());
                float[] before = HeapOfTensors.floats(variable);
                float[] gradient = HeapOfTensors
                        .floats(values.get(NetworkGradientTest.gradientOf(graph, parameter.name()).toString()));
                float[] direction = direction(before.length, gradient);
                double expected = 0;
                for (int i = 0; i < gradient.length; i++) {
                    expected += (double) gradient[i] * direction[i];
                }
                double above = loss(graph, interpreter, feeds, move(variable, before, direction, STEP));
                double below = loss(graph, interpreter, feeds, move(variable, before, direction, -STEP));
                move(variable, before, direction, 0);
                assertTrue(expected > 1e-3, parameter.name() + " has no gradient to speak of: " + expected);
                assertEquals(expected, (above - below) / (2 * STEP), .05 * expected + 1e-3, parameter.name());
            }
            batch.forEach(Tensor::close);
        }
    }

    /** About that of the gradient, of length one: along it the slope is largest, and least lost in rounding. */
    private static float[] direction(int length, float[] gradient) {
        Random random = new Random(length);
        double[] exact = new double[length];
        double square = 0;
        for (int i = 0; i < length; i++) {
            exact[i] = gradient[i] * (.5 + random.nextDouble());
            square += exact[i] * exact[i];
        }
        float[] direction = new float[length];
        for (int i = 0; i < length; i++) {
            direction[i] = (float) (exact[i] / Math.sqrt(square));
        }
        return direction;
    }

    private static Tensor move(Tensor variable, float[] from, float[] direction, float by) {
        for (int i = 0; i < from.length; i++) {
            variable.memory().setAtIndex(JAVA_FLOAT, i, from[i] + by * direction[i]);
        }
        return variable;
    }

    private static double loss(TrainingGraph graph, Interpreter interpreter, Map<String, Tensor> feeds, Tensor moved) {
        assertTrue(moved.isOpen());
        Map<String, Tensor> values = interpreter.run(feeds, List.of(graph.losses().getFirst().node()));
        return HeapOfTensors.floats(values.get(graph.losses().getFirst().toString()))[0];
    }
}
