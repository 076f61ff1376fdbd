package dev.verbena.training.operation;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.List;
import java.util.Random;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.Interpreter;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

public class MatMulProperties {
    @Property(tries = 300)
    void isTheMatrixProduct(@ForAll boolean transposeA, @ForAll boolean transposeB, @ForAll @IntRange(max = 40) int m,
            @ForAll @IntRange(max = 40) int n, @ForAll @IntRange(max = 40) int k, @ForAll long seed) {
        Random random = new Random(seed);
        float[] a = values(random, m * k);
        float[] b = values(random, k * n);
        MatMul operation = new MatMul(transposeA, transposeB);
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            List<Tensor> inputs = List.of(heap.floats(transposeA ? Shape.of(k, m) : Shape.of(m, k), a),
                    heap.floats(transposeB ? Shape.of(n, k) : Shape.of(k, n), b));
            Tensor product = Interpreter.compute("node", operation, inputs,
                    operation.infer(inputs.stream().map(Interpreter::typeOf).toList()), false, heap).getFirst();
            double[] expected = Reference.multiply(transposeA, transposeB, m, n, k, a, b);
            float[] actual = HeapOfTensors.floats(product);
            assertEquals(expected.length, actual.length);
            for (int i = 0; i < actual.length; i++) {
                assertEquals(expected[i], actual[i], 1e-6 * k);
            }
        }
    }

    private static float[] values(Random random, int count) {
        float[] values = new float[count];
        for (int i = 0; i < count; i++) {
            values[i] = random.nextFloat(-1, 1);
        }
        return values;
    }
}
