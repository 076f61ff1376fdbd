package dev.verbena.training.operation.recurrent;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.graph.Dimension;
import dev.verbena.graph.Operation;
import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

/** Recurrent layers against their definition in double precision, their gradients against its difference quotients. */
class RecurrentTest {
    private static final double TOLERANCE = 2e-5;

    enum Layer {
        LSTM(new Lstm(), new LstmGradient(), 4), GRU(new Gru(), new GruGradient(), 3);

        final Operation forward;
        final Operation gradient;
        final int weightCount;

        Layer(Operation forward, Operation gradient, int weightCount) {
            this.forward = forward;
            this.gradient = gradient;
            this.weightCount = weightCount;
        }

        double[] reference(int time, int batch, int inputs, int hidden, int[] lengths, double[][] x) {
            return this == LSTM
                    ? RecurrentReference.lstm(time, batch, inputs, hidden, lengths, x[0], x[1], x[2], x[3])
                    : RecurrentReference.gru(time, batch, inputs, hidden, lengths, x[0], x[1], x[2], x[3]);
        }
    }

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);

    @AfterEach
    void close() {
        scope.close();
    }

    @Property(tries = 60)
    void isItsDefinition(@ForAll Layer layer, @ForAll boolean hasLengths, @ForAll @IntRange(max = 5) int time,
            @ForAll @IntRange(max = 4) int batch, @ForAll @IntRange(max = 3) int inputs,
            @ForAll @IntRange(max = 3) int hidden, @ForAll long seed) {
        try (Arena own = Arena.ofConfined()) {
            HeapOfTensors tensors = new HeapOfTensors(own);
            KernelRuns runs = new KernelRuns(tensors, seed);
            int[] lengths = new Random(seed).ints(batch, 0, time + 1).toArray();
            if (!hasLengths) {
                Arrays.fill(lengths, time);
            }
            Tensor[] parameters = {runs.random(time, batch, inputs), runs.random(inputs, layer.weightCount * hidden),
                    runs.random(hidden, layer.weightCount * hidden), runs.random(4 * hidden)};
            Tensor[] ends = hasLengths ? new Tensor[]{tensors.ints(lengths)} : new Tensor[0];
            List<Tensor> outputs = runs.run(layer.forward, false, joined(List.of(parameters), ends));
            double[][] doubles = Stream.of(parameters).map(KernelRuns::doubles).toArray(double[][]::new);
            KernelRuns.assertClose("y", layer.reference(time, batch, inputs, hidden, lengths, doubles), outputs.get(0),
                    1e-6);

            Tensor behind = runs.random(time, batch, hidden);
            double[] weights = KernelRuns.doubles(behind);
            List<Tensor> given = new ArrayList<>(List.of(parameters).subList(0, 3));
            given.addAll(outputs);
            given.add(behind);
            List<Tensor> gradients = runs.run(layer.gradient, false, joined(given, ends));
            String[] names = {"x", "input weights", "hidden weights", "bias"};
            for (int i = 0; i < names.length; i++) {
                double[] expected = RecurrentReference.slopes(doubles[i],
                        () -> product(weights,
                                layer.reference(time, batch, inputs, hidden, lengths, doubles)));
                KernelRuns.assertClose("gradient by " + names[i], expected, gradients.get(i), TOLERANCE);
            }
        }
    }

    private static Tensor[] joined(List<Tensor> tensors, Tensor[] more) {
        return Stream.concat(tensors.stream(), Stream.of(more)).toArray(Tensor[]::new);
    }

    private static double product(double[] weights, double[] y) {
        double sum = 0;
        for (int i = 0; i < y.length; i++) {
            sum += weights[i] * y[i];
        }
        return sum;
    }

    /** What lies behind a sequence's end, in x or in the gradient, changes no bit of what counts. */
    @ParameterizedTest
    @EnumSource
    void whatIsBehindTheEndDoesNotCount(Layer layer) {
        Tensor ends = heap.ints(2, 4, 0);
        Tensor x = kernels.random(4, 3, 2);
        Tensor[] weights = {kernels.random(2, layer.weightCount * 3L), kernels.random(3, layer.weightCount * 3L),
                kernels.random(12)};
        Tensor behind = kernels.random(4, 3, 3);
        List<List<Tensor>> both = new ArrayList<>();
        for (int round = 0; round < 2; round++) {
            List<Tensor> outputs = kernels.run(layer.forward, false, x, weights[0], weights[1], weights[2], ends);
            List<Tensor> given = new ArrayList<>(List.of(x, weights[0], weights[1]));
            given.addAll(outputs);
            given.add(behind);
            List<Tensor> all = new ArrayList<>(outputs);
            all.addAll(kernels.run(layer.gradient, false, joined(given, new Tensor[]{ends})));
            both.add(all);
            spoil(x, 2);
            spoil(behind, 3);
        }
        for (int i = 0; i < both.get(0).size(); i++) {
            assertArrayEquals(HeapOfTensors.floats(both.get(0).get(i)), HeapOfTensors.floats(both.get(1).get(i)),
                    "output " + i);
        }
        assertEquals(0, HeapOfTensors.floats(both.get(0).get(0))[2 * 3 * 3]);
    }

    /** In sequence 0 from step 2 on, and in all of sequence 2. */
    private static void spoil(Tensor sequences, int width) {
        for (int t = 0; t < 4; t++) {
            for (int j = 0; j < width; j++) {
                sequences.memory().setAtIndex(JAVA_FLOAT, (t * 3L + 2) * width + j, 1e6f);
                if (t >= 2) {
                    sequences.memory().setAtIndex(JAVA_FLOAT, t * 3L * width + j, -1e6f);
                }
            }
        }
    }

    /** The cell that a sequence ended with is that of the last step. */
    @Test
    void cellsStayBehindTheEnd() {
        List<Tensor> outputs = kernels.run(new Lstm(), false, kernels.random(3, 2, 2), kernels.random(2, 8),
                kernels.random(2, 8), kernels.random(8), heap.ints(1, 3));
        float[] cells = HeapOfTensors.floats(outputs.get(Lstm.CELLS));
        assertArrayEquals(Arrays.copyOfRange(cells, 0, 2), Arrays.copyOfRange(cells, 8, 10));
    }

    @Test
    void shapesKeepTheSymbolsOfTimeAndBatch() {
        Dimension time = Dimension.symbol("time");
        Dimension batch = Dimension.symbol("batch");
        TensorType x = KernelRuns.floats(time, batch, Dimension.of(2));
        TensorType y = KernelRuns.floats(time, batch, Dimension.of(5));
        TensorType gates = KernelRuns.floats(time, batch, Dimension.of(20));
        TensorType bias = TensorType.of(ElementType.FLOAT32, 20);
        TensorType ends = KernelRuns.ints(batch);
        TensorType four = TensorType.of(ElementType.FLOAT32, 2, 20);
        TensorType fourHidden = TensorType.of(ElementType.FLOAT32, 5, 20);
        KernelRuns.assertInfers(new Lstm(), List.of(y, gates, y), x, four, fourHidden, bias);
        KernelRuns.assertInfers(new Lstm(), List.of(y, gates, y), x, four, fourHidden, bias, ends);
        KernelRuns.assertInfers(new LstmGradient(), List.of(x, four, fourHidden, bias), x, four, fourHidden, y, gates,
                y, y, ends);
        TensorType three = TensorType.of(ElementType.FLOAT32, 2, 15);
        TensorType threeHidden = TensorType.of(ElementType.FLOAT32, 5, 15);
        KernelRuns.assertInfers(new Gru(), List.of(y, gates), x, three, threeHidden, bias, ends);
        KernelRuns.assertInfers(new GruGradient(), List.of(x, three, threeHidden, bias), x, three, threeHidden, y,
                gates, y);
    }

    @Test
    void saysWhatDoesNotFit() {
        TensorType x = TensorType.of(ElementType.FLOAT32, 6, 4, 2);
        TensorType input = TensorType.of(ElementType.FLOAT32, 2, 20);
        TensorType hidden = TensorType.of(ElementType.FLOAT32, 5, 20);
        TensorType bias = TensorType.of(ElementType.FLOAT32, 20);
        TensorType y = TensorType.of(ElementType.FLOAT32, 6, 4, 5);
        KernelRuns.assertRefuses(new Lstm(),
                "takes 4 inputs (x, input weights, hidden weights, bias) and maybe lengths, not 3", x, input, hidden);
        KernelRuns.assertRefuses(new Lstm(), "width of x[6, 4, 2]=2 does not fit rows of input weights[3, 20]=3", x,
                TensorType.of(ElementType.FLOAT32, 3, 20), hidden, bias);
        KernelRuns.assertRefuses(new Gru(),
                "columns of input weights[2, 20]=20 does not fit 3 times rows of hidden weights[5, 20]=15", x, input,
                hidden, bias);
        KernelRuns.assertRefuses(new Lstm(), "length of bias=15 does not fit columns of hidden weights=20", x, input,
                hidden, TensorType.of(ElementType.FLOAT32, 15));
        KernelRuns.assertRefuses(new Lstm(), "batch of x=4 does not fit length of lengths=6", x, input, hidden, bias,
                TensorType.of(ElementType.INT32, 6));
        KernelRuns.assertRefuses(new LstmGradient(),
                "dimension 2 of x, as gates,=20 does not fit that of gates=5", x, input, hidden, y, y, y, y);
    }

    @Test
    void kernelsRefuseWhatOnlyTheRunTells() {
        Tensor x = kernels.random(3, 2, 2);
        Tensor input = kernels.random(2, 8);
        Tensor hidden = kernels.random(2, 8);
        Tensor bias = kernels.random(8);
        Tensor y = kernels.random(3, 2, 2);
        kernels.assertRefused("length=4 in sequence=1; there are 3 steps", new Lstm(), x, input, hidden, bias,
                heap.ints(0, 4));
        kernels.assertRefused("length=-1 in sequence=0; there are 3 steps", new Lstm(), x, input, hidden, bias,
                heap.ints(-1, 3));
        kernels.assertRefused("batch of x=2 does not fit length of lengths=1", new Lstm(), x, input, hidden, bias,
                heap.ints(1));
        kernels.assertRefused("width of x=2 does not fit rows of input weights=3", new Lstm(), x,
                kernels.random(3, 8), hidden, bias);
        kernels.assertRefused("columns of hidden weights=8 does not fit 4 times rows of hidden weights=12",
                new Lstm(), x, kernels.random(2, 12), kernels.random(3, 8), bias);
        kernels.assertRefused("length of bias=6 does not fit 4 times rows of hidden weights=8", new Gru(), x,
                kernels.random(2, 6), kernels.random(2, 6), kernels.random(6));
        kernels.assertRefused("elements of gates=12 does not fit those that x implies=48", new LstmGradient(), x,
                input, hidden, y, y, y, y);
        assertEquals(Shape.of(3, 2, 2), kernels.run(new Lstm(), false, x, input, hidden, bias).getFirst().shape());
    }
}
