package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;

import org.junit.jupiter.api.Test;

import ai.djl.ndarray.NDManager;
import ai.djl.ndarray.types.Shape;
import ai.djl.training.dataset.ArrayDataset;
import ai.djl.training.dataset.RandomAccessDataset;

class ShardSamplerTest {
    @Test
    void togetherTheyHaveWhatOneHas() {
        try (NDManager manager = PyTorch.engine().newBaseManager()) {
            RandomAccessDataset dataset = dataset(manager, 103);
            ShardSampler one = new ShardSampler(0, 1, 12, 5);
            List<ShardSampler> three = List.of(new ShardSampler(0, 3, 4, 5), new ShardSampler(1, 3, 4, 5),
                    new ShardSampler(2, 3, 4, 5));
            List<List<Long>> first = null;
            for (int epoch = 0; epoch < 2; epoch++) {
                List<List<Long>> whole = batches(one.sample(dataset));
                List<Iterator<List<Long>>> parts = three.stream().map(part -> part.sample(dataset)).toList();
                for (List<Long> batch : whole) {
                    List<Long> together = new ArrayList<>();
                    parts.forEach(part -> together.addAll(part.next()));
                    assertEquals(batch, together);
                }
                parts.forEach(part -> assertThrows(NoSuchElementException.class, part::next));
                List<Long> all = whole.stream().flatMap(List::stream).toList();
                assertEquals(96, all.size(), "the rest is left out");
                assertEquals(96, new HashSet<>(all).size(), "none comes twice");
                assertNotEquals(first, whole, "another order");
                first = whole;
            }
        }
    }

    @Test
    void thereIsABatchForEach() {
        try (NDManager manager = PyTorch.engine().newBaseManager()) {
            RandomAccessDataset dataset = dataset(manager, 7);
            String complaint = assertThrows(IllegalArgumentException.class,
                    () -> new ShardSampler(0, 2, 4, 1).sample(dataset)).getMessage();
            assertTrue(complaint.startsWith("a data set of 7 samples, for 2 processes with batchSize=4;"), complaint);
            assertThrows(IllegalArgumentException.class, () -> new ShardSampler(0, 2, 0, 1));
        }
    }

    private static RandomAccessDataset dataset(NDManager manager, int samples) {
        return new ArrayDataset.Builder().setData(manager.zeros(new Shape(samples, 1))).setSampling(1, false).build();
    }

    private static List<List<Long>> batches(Iterator<List<Long>> batches) {
        List<List<Long>> all = new ArrayList<>();
        batches.forEachRemaining(all::add);
        return all;
    }
}
