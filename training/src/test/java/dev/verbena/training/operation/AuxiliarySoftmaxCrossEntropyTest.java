package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.List;

import dev.verbena.graph.TensorType;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AuxiliarySoftmaxCrossEntropyTest {
    private static final float SHARE = .4f;

    private final Arena scope = Arena.ofConfined();
    private final HeapOfTensors heap = new HeapOfTensors(scope);
    private final KernelRuns kernels = new KernelRuns(heap, 1);

    @AfterEach
    void close() {
        scope.close();
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void isTheOneLossAndAShareOfTheOther(boolean inPlace) {
        Tensor logits = kernels.random(4, 5);
        Tensor auxiliary = kernels.random(4, 5);
        Tensor labels = heap.ints(0, 4, 2, 2);
        List<Tensor> one = kernels.run(new SoftmaxCrossEntropy(), false, logits, labels);
        List<Tensor> other = kernels.run(new SoftmaxCrossEntropy(), false, auxiliary, labels);
        List<Tensor> both = kernels.run(new AuxiliarySoftmaxCrossEntropy(SHARE), inPlace, logits, auxiliary, labels);
        assertEquals(loss(one) + SHARE * loss(other), loss(both), 1e-6);
        assertArrayEquals(HeapOfTensors.floats(one.get(1)), HeapOfTensors.floats(both.get(1)));
        float[] share = HeapOfTensors.floats(other.get(1));
        for (int i = 0; i < share.length; i++) {
            share[i] *= SHARE;
        }
        assertArrayEquals(share, HeapOfTensors.floats(both.get(2)));
    }

    private static float loss(List<Tensor> outputs) {
        return HeapOfTensors.floats(outputs.getFirst())[0];
    }

    @Test
    void refusesWhatDoesNotFit() {
        kernels.assertRefused("label=5 in row=1; there are 5 classes, from 0",
                new AuxiliarySoftmaxCrossEntropy(SHARE), kernels.random(2, 5), kernels.random(2, 5), heap.ints(0, 5));
        KernelRuns.assertRefuses(new AuxiliarySoftmaxCrossEntropy(SHARE),
                "rows of logits[2, 5]=2 does not fit length of labels=3", TensorType.of(ElementType.FLOAT32, 2, 5),
                TensorType.of(ElementType.FLOAT32, 2, 5), TensorType.of(ElementType.INT32, 3));
    }

    @Test
    void onesAreSoMany() {
        assertEquals(List.of(TensorType.of(ElementType.FLOAT32, 3)), new Ones(3).infer(List.of()));
        assertArrayEquals(new float[]{1, 1, 1},
                HeapOfTensors.floats(kernels.run(new Ones(3), false).getFirst()));
    }
}
