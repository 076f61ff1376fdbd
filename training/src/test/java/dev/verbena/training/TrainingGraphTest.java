package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import dev.verbena.graph.Graph;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.data.MiniBatches;
import org.junit.jupiter.api.Test;

class TrainingGraphTest {
    private static final Dataset DATA = Dataset.synthetic(1);
    private static final int ITERATIONS = 20;

    @Test
    void everyServerHasSomeOfTheLargeVariables() {
        TrainingGraph graph = TrainingGraph.distributed(options("fcn5", 2, 2, 4), DATA);
        Map<String, String> places = new TreeMap<>();
        graph.graph().nodes().stream().filter(node -> node.name().matches("layer./(weight|bias)"))
                .forEach(node -> places.put(node.name(), node.task()));
        assertEquals("{layer1/bias=server:1, layer1/weight=server:0, layer2/bias=server:0, layer2/weight=server:1, "
                + "layer3/bias=server:1, layer3/weight=server:0, layer4/bias=server:0, layer4/weight=server:1, "
                + "layer5/bias=server:1, layer5/weight=server:0}",
                places.toString());
    }

    @Test
    void stepsStayWithTheirVariableAndPassesWithTheirWorker() {
        TrainingGraph graph = TrainingGraph.distributed(options("mlp", 2, 3, 4), DATA);
        for (Graph.Node step : graph.steps()) {
            assertEquals(step.inputs().get(0).node().task(), step.task());
            assertEquals(List.of("worker:0", "worker:1"), step.inputs().stream().skip(1)
                    .map(gradient -> gradient.node().task()).toList(), "a gradient of each worker, in their order");
        }
        for (Graph.Node node : graph.graph().nodes()) {
            if (node.name().startsWith("worker:")) {
                assertEquals(node.name().split("/")[0], node.task());
            }
        }
        assertTrue(graph.snapshots().stream().allMatch(node -> node.task().equals("worker:0")));
    }

    @Test
    void inOneProcessEverythingIsOnOneTask() {
        TrainingGraph graph = TrainingGraph.local(options("mlp", 1, 1, 4), DATA);
        assertTrue(graph.graph().nodes().stream().allMatch(node -> node.task().equals(TrainingGraph.LOCAL_TASK)));
    }

    /** Placement is no arithmetic: to the last bit. */
    @Test
    void oneWorkerComputesWhatOneProcessComputes() {
        TrainingOptions options = options("mlp", 1, 1, 32);
        assertArrayEquals(losses(TrainingGraph.local(options, DATA), options, false),
                losses(TrainingGraph.distributed(options("mlp", 1, 3, 32), DATA), options, true));
    }

    @Test
    void twoWorkersComputeWhatOneComputesWithTheJoinedBatch() {
        TrainingOptions two = options("mlp", 2, 1, 16);
        TrainingOptions joined = options("mlp", 1, 1, 32);
        double[] expected = losses(TrainingGraph.local(joined, DATA), joined, false);
        double[] actual = losses(TrainingGraph.distributed(two, DATA), two, false);
        for (int i = 0; i < expected.length; i++) {
            assertEquals(expected[i], actual[i], 1e-5 * expected[i], "iteration " + i);
        }
        assertTrue(expected[ITERATIONS - 1] < .8 * expected[0], "the loss falls");
    }

    /** The mean loss of the workers in each iteration, by the interpreter. */
    private static double[] losses(TrainingGraph graph, TrainingOptions options, boolean inPlace) {
        double[] losses = new double[ITERATIONS];
        int workers = options.workers();
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Interpreter interpreter = new Interpreter(graph.graph(), scope, inPlace);
            for (int iteration = 0; iteration < ITERATIONS; iteration++) {
                Map<String, Tensor> feeds = new HashMap<>();
                for (int worker = 0; worker < workers; worker++) {
                    Tensor images = heap.allocate(ElementType.FLOAT32, Shape.of(options.batch(), DATA.featureCount()));
                    Tensor labels = heap.allocate(ElementType.INT32, Shape.of(options.batch()));
                    new MiniBatches(DATA.train(), options.seed(), workers, worker, options.batch()).gather(iteration,
                            images, labels);
                    feeds.put("worker:" + worker + "/images", images);
                    feeds.put("worker:" + worker + "/labels", labels);
                }
                Map<String, Tensor> values = interpreter.run(feeds, graph.steps());
                for (Graph.Output loss : graph.losses()) {
                    losses[iteration] += HeapOfTensors.floats(values.get(loss.toString()))[0] / workers;
                }
            }
        }
        return losses;
    }

    private static TrainingOptions options(String model, int workers, int servers, int batch) {
        return new TrainingOptions(model, workers, servers, ITERATIONS, batch, 1, .2f, false);
    }
}
