package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.util.stream.IntStream;

import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.data.ImageSet;
import org.junit.jupiter.api.Test;

class EvaluationTest {
    @Test
    void countsRowsWhoseFirstLargestLogitIsTheirClass() {
        ImageSet set = new ImageSet(new byte[5], new byte[]{9, 2, 0, 1, 0}, 1, IntStream.range(0, 5).toArray());
        try (Arena scope = Arena.ofConfined()) {
            Tensor logits = new HeapOfTensors(scope).floats(Shape.of(4, 3), //
                    -3, -2, -1, // 2, as the second image
                    5, 5, 5, // 0, the first of equals, as the third
                    9, 1, 2, // 0, where the fourth is 1
                    Float.NaN, 1, 2); // nothing exceeds NaN: 0
            assertEquals(3, Evaluation.countCorrect(logits, set, 1));
        }
    }
}
