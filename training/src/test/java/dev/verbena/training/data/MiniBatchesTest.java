package dev.verbena.training.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.util.Arrays;
import java.util.stream.IntStream;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.HeapOfTensors;
import org.junit.jupiter.api.Test;

class MiniBatchesTest {
    private static final int COUNT = 50;
    private static final ImageSet SET = new ImageSet(new byte[COUNT],
            new String(IntStream.range(0, COUNT).toArray(), 0, COUNT)
                    .getBytes(java.nio.charset.StandardCharsets.US_ASCII),
            1,
            IntStream.range(0, COUNT).toArray());

    @Test
    void workersTogetherSeeWhatOneWithTheJoinedBatchSees() {
        for (int iteration = 0; iteration < 12; iteration++) {
            int[] joined = gather(1, 0, 12, iteration);
            int[] first = gather(3, 0, 4, iteration);
            int[] second = gather(3, 1, 4, iteration);
            int[] third = gather(3, 2, 4, iteration);
            assertArrayEquals(joined, IntStream.of(first[0], first[1], first[2], first[3], second[0], second[1],
                    second[2], second[3], third[0], third[1], third[2], third[3]).toArray());
        }
    }

    @Test
    void anEpochSeesNoImageTwiceAndTheNextHasAnotherOrder() {
        int[] first = epoch(0);
        assertEquals(48, Arrays.stream(first).distinct().count());
        assertEquals(48, Arrays.stream(epoch(1)).distinct().count());
        assertFalse(Arrays.equals(first, epoch(1)));
    }

    @Test
    void anEpochHasAtLeastOneIteration() {
        assertEquals(4, MiniBatches.iterationsPerEpoch(COUNT, 3, 4));
        assertEquals(1, MiniBatches.iterationsPerEpoch(COUNT, 50, 1));
        assertEquals(1, MiniBatches.iterationsPerEpoch(COUNT, Integer.MAX_VALUE, Integer.MAX_VALUE));
    }

    private static int[] epoch(int epoch) {
        return IntStream.range(0, 4).flatMap(i -> Arrays.stream(gather(1, 0, 12, 4 * epoch + i))).toArray();
    }

    private static int[] gather(int workers, int worker, int batch, int iteration) {
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Tensor labels = heap.allocate(ElementType.INT32, Shape.of(batch));
            new MiniBatches(SET, 9, workers, worker, batch).gather(iteration,
                    heap.allocate(ElementType.FLOAT32, Shape.of(batch, 1)), labels);
            return labels.memory().toArray(ValueLayout.JAVA_INT);
        }
    }
}
