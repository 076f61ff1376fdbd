package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import dev.verbena.training.operation.recurrent.RecurrentReference;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class MaskedSoftmaxCrossEntropyTest {
    private static final int IGNORED = -1;

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);

    @AfterEach
    void close() {
        scope.close();
    }

    /** The loss against its definition, the gradient against the difference quotient of that. */
    @Property(tries = 60)
    void isTheMeanOfWhatCounts(@ForAll boolean inPlace, @ForAll @IntRange(max = 6) int rows,
            @ForAll @IntRange(min = 1, max = 5) int classes, @ForAll long seed) {
        try (Arena own = Arena.ofConfined()) {
            HeapOfTensors tensors = new HeapOfTensors(own);
            KernelRuns runs = new KernelRuns(tensors, seed);
            int[] labels = new Random(seed).ints(rows, IGNORED, classes).toArray();
            Tensor logits = runs.random(rows, classes);
            double[] x = KernelRuns.doubles(logits);
            List<Tensor> outputs = runs.run(new MaskedSoftmaxCrossEntropy(IGNORED), inPlace, logits,
                    tensors.ints(labels));
            KernelRuns.assertClose("loss", new double[]{loss(x, labels, classes)}, outputs.get(0), 1e-6);
            KernelRuns.assertClose("gradient", RecurrentReference.slopes(x, () -> loss(x, labels, classes)),
                    outputs.get(1), 1e-6);
        }
    }

    private static double loss(double[] logits, int[] labels, int classes) {
        double sum = 0;
        int counting = 0;
        for (int row = 0; row < labels.length; row++) {
            if (labels[row] != IGNORED) {
                double total = 0;
                for (int j = 0; j < classes; j++) {
                    total += Math.exp(logits[row * classes + j]);
                }
                sum += Math.log(total) - logits[row * classes + labels[row]];
                counting++;
            }
        }
        return counting == 0 ? 0 : sum / counting;
    }

    @Test
    void isTheOrdinaryOneWhereAllRowsCount() {
        Tensor logits = kernels.random(4, 5);
        Tensor labels = heap.ints(0, 4, 2, 2);
        List<Tensor> ordinary = kernels.run(new SoftmaxCrossEntropy(), false, logits, labels);
        List<Tensor> masked = kernels.run(new MaskedSoftmaxCrossEntropy(IGNORED), false, logits, labels);
        for (int i = 0; i < 2; i++) {
            assertArrayEquals(HeapOfTensors.floats(ordinary.get(i)), HeapOfTensors.floats(masked.get(i)));
        }
    }

    @Test
    void refusesWhatDoesNotFit() {
        assertEquals("ignoredLabel=3 may be a class; take a negative number",
                assertThrows(IllegalArgumentException.class, () -> new MaskedSoftmaxCrossEntropy(3)).getMessage());
        kernels.assertRefused("label=5 in row=1; there are 5 classes, from 0", new MaskedSoftmaxCrossEntropy(IGNORED),
                kernels.random(2, 5), heap.ints(IGNORED, 5));
        kernels.assertRefused("label=-2 in row=0; there are 5 classes, from 0", new MaskedSoftmaxCrossEntropy(IGNORED),
                kernels.random(1, 5), heap.ints(-2));
        kernels.assertRefused("rows of logits=2 does not fit length of labels=3",
                new MaskedSoftmaxCrossEntropy(IGNORED), kernels.random(2, 5), heap.ints(0, 0, 0));
        KernelRuns.assertRefuses(new MaskedSoftmaxCrossEntropy(IGNORED),
                "rows of logits[2, 5]=2 does not fit length of labels=3", TensorType.of(ElementType.FLOAT32, 2, 5),
                TensorType.of(ElementType.INT32, 3));
    }
}
