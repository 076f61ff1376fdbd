package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Map;
import java.util.Random;

import dev.verbena.graph.Graph.Output;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.data.ImageSet;
import dev.verbena.training.model.FullyConnected;
import dev.verbena.training.model.Model;
import dev.verbena.training.model.Parameters;
import dev.verbena.training.operation.Reference;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The whole of a network with two hidden layers: its loss, and every gradient against finite differences of the loss in double. */
class NetworkGradientTest {
    private static final int BATCH = 4;
    private static final int[] WIDTHS = {6, 5, 7, 3};
    private static final Model MODEL = new FullyConnected("test", 1, 5, 7);
    private static final double STEP = 1e-6;

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void everyGradientIsTheSlopeOfTheLoss(boolean inPlace) {
        ImageSet set = new ImageSet(new byte[WIDTHS[0]], new byte[]{(byte) (WIDTHS[3] - 1)}, WIDTHS[0], new int[]{0});
        Dataset data = Dataset.of(set, set);
        Parameters parameters = Parameters.of(MODEL, data);
        TrainingGraph graph = TrainingGraph.build(new TrainingOptions("mlp", 1, 1, 1, BATCH, 3, 1, false), MODEL, data,
                List.of("s"), List.of("w"));
        Random random = new Random(5);
        float[] images = new float[BATCH * WIDTHS[0]];
        for (int i = 0; i < images.length; i++) {
            images[i] = random.nextFloat(-1, 1);
        }
        int[] labels = {2, 0, 1, 2};
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Interpreter interpreter = new Interpreter(graph.graph(), scope, inPlace);
            double[][] variables = parameters.all().stream()
                    .map(parameter -> doubles(HeapOfTensors.floats(interpreter.variable(parameter.name()))))
                    .toArray(double[][]::new);
            Map<String, Tensor> values = interpreter.run(Map.of("worker:0/images",
                    heap.floats(Shape.of(BATCH, WIDTHS[0]), images), "worker:0/labels", heap.ints(labels)),
                    graph.steps());

            assertEquals(Reference.loss(WIDTHS, variables, images, labels),
                    HeapOfTensors.floats(values.get("worker:0/loss:0"))[0], 1e-6);
            for (int v = 0; v < variables.length; v++) {
                String name = parameters.all().get(v).name();
                float[] gradient = HeapOfTensors.floats(values.get(gradientOf(graph, name).toString()));
                double largest = 0;
                for (int i = 0; i < gradient.length; i++) {
                    assertEquals(slope(variables, v, i, images, labels), gradient[i], 1e-5, name + "[" + i + "]");
                    largest = Math.max(largest, Math.abs(gradient[i]));
                }
                assertTrue(largest > 1e-3, name + " has no gradient to speak of: " + largest);
            }
        }
    }

    private static double slope(double[][] variables, int v, int i, float[] images, int[] labels) {
        double value = variables[v][i];
        variables[v][i] = value + STEP;
        double above = Reference.loss(WIDTHS, variables, images, labels);
        variables[v][i] = value - STEP;
        double below = Reference.loss(WIDTHS, variables, images, labels);
        variables[v][i] = value;
        return (above - below) / (2 * STEP);
    }

    private static double[] doubles(float[] values) {
        double[] result = new double[values.length];
        for (int i = 0; i < values.length; i++) {
            result[i] = values[i];
        }
        return result;
    }

    /** By which the one worker's step changes the variable. */
    static Output gradientOf(TrainingGraph graph, String variable) {
        return graph.graph().node(variable + "/step").inputs().getLast();
    }
}
