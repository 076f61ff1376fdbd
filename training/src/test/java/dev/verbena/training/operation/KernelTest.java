package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;

/** Each kernel against its definition in double precision, both with its outputs in place of inputs and apart from them. */
public class KernelTest {
    private static final int ROWS = 5;
    private static final int COLUMNS = 7;

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);
    private final Random random = new Random(1);

    @AfterEach
    void close() {
        scope.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void addBias(boolean inPlace) {
        float[] x = values(ROWS * COLUMNS);
        float[] bias = values(COLUMNS);
        float[] sum = HeapOfTensors
                .floats(kernels.run(new AddBias(), inPlace, matrix(x), heap.floats(Shape.of(COLUMNS), bias)).get(0));
        for (int i = 0; i < x.length; i++) {
            assertEquals(x[i] + bias[i % COLUMNS], sum[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void celu(boolean inPlace) {
        float[] x = values(ROWS * COLUMNS);
        x[0] = 0;
        x[1] = -100;
        x[2] = Float.NaN;
        float[] y = HeapOfTensors.floats(kernels.run(new Celu(), inPlace, matrix(x)).get(0));
        for (int i = 0; i < x.length; i++) {
            assertEquals(Reference.celu(x[i]), y[i], 1e-6);
        }
    }

    /** Against the difference quotient of the function itself, on both sides of the corner and in it. */
    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void celuGradient(boolean inPlace) {
        float[] x = values(ROWS * COLUMNS);
        x[0] = 0;
        float[] behind = values(ROWS * COLUMNS);
        Tensor y = kernels.run(new Celu(), false, matrix(x)).get(0);
        float[] before = HeapOfTensors.floats(kernels.run(new CeluGradient(), inPlace, matrix(behind), y).get(0));
        for (int i = 0; i < x.length; i++) {
            double slope = (Reference.celu(x[i] + 1e-6) - Reference.celu(x[i] - 1e-6)) / 2e-6;
            assertEquals(slope * behind[i], before[i], 2e-5);
        }
    }

    @Test
    void reduceRows() {
        float[] x = values(ROWS * COLUMNS);
        float[] sum = HeapOfTensors.floats(kernels.run(new ReduceRows(), false, matrix(x)).get(0));
        for (int column = 0; column < COLUMNS; column++) {
            double expected = 0;
            for (int row = 0; row < ROWS; row++) {
                expected += x[row * COLUMNS + column];
            }
            assertEquals(expected, sum[column], 1e-6);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void softmaxCrossEntropy(boolean inPlace) {
        float[] logits = values(ROWS * COLUMNS);
        int[] labels = {0, 6, 3, 3, 1};
        List<Tensor> outputs = kernels.run(new SoftmaxCrossEntropy(), inPlace, matrix(logits), heap.ints(labels));
        double loss = 0;
        for (int row = 0; row < ROWS; row++) {
            double total = 0;
            for (int j = 0; j < COLUMNS; j++) {
                total += Math.exp(logits[row * COLUMNS + j]);
            }
            loss -= Math.log(Math.exp(logits[row * COLUMNS + labels[row]]) / total) / ROWS;
            for (int j = 0; j < COLUMNS; j++) {
                double expected = (Math.exp(logits[row * COLUMNS + j]) / total - (j == labels[row] ? 1 : 0)) / ROWS;
                assertEquals(expected, HeapOfTensors.floats(outputs.get(1))[row * COLUMNS + j], 1e-7);
            }
        }
        assertEquals(loss, HeapOfTensors.floats(outputs.get(0))[0], 1e-6);
    }

    @Test
    void softmaxCrossEntropyStaysFiniteForHugeLogits() {
        Tensor logits = heap.floats(Shape.of(1, 3), 3e38f, -3e38f, 0);
        assertEquals(0,
                HeapOfTensors.floats(kernels.run(new SoftmaxCrossEntropy(), false, logits, heap.ints(0)).get(0))[0]);
        assertEquals(3e38f,
                HeapOfTensors.floats(kernels.run(new SoftmaxCrossEntropy(), false, logits, heap.ints(2)).get(0))[0]);
    }

    @Test
    void softmaxCrossEntropyRefusesALabelThatIsNoClass() {
        for (int label : new int[]{-1, 3}) {
            Tensor logits = heap.floats(Shape.of(1, 3), 1, 2, 3);
            String message = assertThrows(IllegalArgumentException.class,
                    () -> kernels.run(new SoftmaxCrossEntropy(), false, logits, heap.ints(label))).getMessage();
            assertEquals("node 'node': label=" + label + " in row=0; there are 3 classes, from 0", message);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void sum(boolean inPlace) {
        float[] first = values(ROWS * COLUMNS);
        float[] second = values(ROWS * COLUMNS);
        float[] third = values(ROWS * COLUMNS);
        float[] sum = HeapOfTensors
                .floats(kernels.run(new Sum(), inPlace, matrix(first), matrix(second), matrix(third)).get(0));
        for (int i = 0; i < sum.length; i++) {
            assertEquals(first[i] + second[i] + third[i], sum[i]);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void theSumOfTheSameTensorAgainAndAgain(boolean inPlace) {
        float[] values = values(ROWS * COLUMNS);
        Tensor term = matrix(values);
        float[] sum = HeapOfTensors.floats(kernels.run(new Sum(), inPlace, term, term, term).get(0));
        for (int i = 0; i < sum.length; i++) {
            assertEquals(values[i] + values[i] + values[i], sum[i]);
        }
    }

    @Test
    void theSumOfOneIsItself() {
        Tensor gradient = matrix(values(ROWS * COLUMNS));
        assertTrue(kernels.run(new Sum(), false, gradient).get(0).sharesStorageWith(gradient));
    }

    @Test
    void applySgdChangesTheVariableWhereItLies() {
        float[] before = values(ROWS * COLUMNS);
        float[] gradient = values(ROWS * COLUMNS);
        Tensor variable = matrix(before);
        assertEquals(List.of(), kernels.run(new ApplySgd(.3f), false, variable, matrix(gradient)));
        float[] after = HeapOfTensors.floats(variable);
        for (int i = 0; i < after.length; i++) {
            assertEquals(before[i] - .3 * gradient[i], after[i], 1e-6);
        }
        assertEquals(Set.of(0), new ApplySgd(.3f).mutatedInputs());
    }

    @Test
    void snapshotIsACopy() {
        Tensor x = matrix(values(ROWS * COLUMNS));
        Tensor copy = kernels.run(new Snapshot(), true, x).get(0);
        assertFalse(copy.sharesStorageWith(x));
        assertArrayEquals(HeapOfTensors.floats(x), HeapOfTensors.floats(copy));
    }

    /** Where dimensions were unknown before the run, the kernels themselves find what does not fit. */
    @Test
    void kernelsRefuseShapesThatDoNotFit() {
        Tensor matrix = matrix(values(ROWS * COLUMNS));
        Tensor three = heap.floats(Shape.of(3), 1, 2, 3);
        Tensor square = heap.floats(Shape.of(2, 2), 1, 2, 3, 4);
        kernels.assertRefused("columns of x=7 does not fit length of bias=3", new AddBias(), matrix, three);
        kernels.assertRefused("inner dimension of a=7 does not fit inner dimension of b=2", new MatMul(false, false),
                matrix,
                square);
        kernels.assertRefused("elements of gradient=35 does not fit elements of y=4", new CeluGradient(), matrix,
                square);
        kernels.assertRefused("elements of term 0=35 does not fit elements of term 1=4", new Sum(), matrix,
                square);
        kernels.assertRefused("elements of variable=35 does not fit elements of gradient=4", new ApplySgd(1), matrix,
                square);
        kernels.assertRefused("rows of logits=5 does not fit length of labels=2", new SoftmaxCrossEntropy(), matrix,
                heap.ints(0, 1));
    }

    private Tensor matrix(float[] values) {
        return heap.floats(Shape.of(ROWS, COLUMNS), values);
    }

    private float[] values(int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-1, 1);
        }
        return values;
    }
}
