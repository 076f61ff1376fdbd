package dev.verbena.training.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;
import dev.verbena.memory.Tensor;
import dev.verbena.training.DataException;
import dev.verbena.training.HeapOfTensors;
import dev.verbena.training.KernelRuns;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

class SequenceBatchesTest {
    private static final int LENGTH_MAX = 40;

    /** A mini-batch, row by row of its tensors. */
    private record Batch(int steps, int[] inputs, int[] labels, int[] ends) {}

    /** In an epoch no sequence comes twice, and as many come as whole mini-batches take. */
    @Property(tries = 60)
    void anEpochSeesNoSequenceTwice(@ForAll @IntRange(min = 8, max = 300) int count,
            @ForAll @IntRange(min = 1, max = 2) int workers, @ForAll @IntRange(min = 1, max = 4) int batch,
            @ForAll long seed) {
        SequenceSet set = set(count, seed);
        int perEpoch = new SequenceBatches(set, seed, workers, 0, batch).iterationsPerEpoch();
        int[] seen = IntStream.range(0, perEpoch * workers)
                .mapToObj(i -> gather(set, seed, workers, i % workers, batch, perEpoch + i / workers))
                .flatMapToInt(each -> Arrays.stream(each.inputs, 0, batch)).toArray();
        assertEquals(count / (workers * batch) * workers * batch, seen.length);
        assertEquals(seen.length, Arrays.stream(seen).distinct().count());
    }

    /** The time dimension is the longest; what is behind the end of a sequence has no label. */
    @Property(tries = 60)
    void aMiniBatchHoldsItsSequences(@ForAll @IntRange(min = 1, max = 5) int batch,
            @ForAll @IntRange(max = 50) int iteration, @ForAll long seed) {
        SequenceSet set = set(30, seed);
        Batch gathered = gather(set, seed, 1, 0, batch, iteration);
        assertEquals(Arrays.stream(gathered.ends).max().getAsInt(), gathered.steps);
        for (int sequence = 0; sequence < batch; sequence++) {
            int first = gathered.inputs[sequence];
            int index = Arrays.binarySearch(set.starts(), first);
            assertEquals(set.length(index), gathered.ends[sequence]);
            for (int t = 0; t < gathered.steps; t++) {
                boolean counts = t < gathered.ends[sequence];
                assertEquals(counts ? first + t : 0, gathered.inputs[t * batch + sequence]);
                assertEquals(counts ? first + t + 1 : SequenceSet.NO_LABEL, gathered.labels[t * batch + sequence]);
            }
        }
    }

    @Test
    void workersTogetherSeeWhatOneWithTheJoinedBatchSees() {
        SequenceSet set = set(100, 1);
        for (int iteration = 0; iteration < 30; iteration++) {
            int[] joined = Arrays.copyOf(gather(set, 7, 1, 0, 6, iteration).inputs, 6);
            int[] apart = IntStream.concat(Arrays.stream(gather(set, 7, 2, 0, 3, iteration).inputs, 0, 3),
                    Arrays.stream(gather(set, 7, 2, 1, 3, iteration).inputs, 0, 3)).toArray();
            assertArrayEquals(joined, apart);
        }
    }

    /** Who goes on in the middle gets what who began at the start gets. */
    @Test
    void whatAnIterationSeesIsAFunctionOfSeedAndIteration() {
        SequenceSet set = set(50, 1);
        SequenceBatches whole = new SequenceBatches(set, 3, 1, 0, 4);
        int[] steps = IntStream.range(0, 40).map(whole::steps).toArray();
        for (int iteration : new int[]{39, 0, 17}) {
            assertEquals(steps[iteration], new SequenceBatches(set, 3, 1, 0, 4).steps(iteration));
        }
        assertFalse(Arrays.equals(gather(set, 3, 1, 0, 4, 0).inputs, gather(set, 3, 1, 0, 4, 12).inputs));
        assertFalse(Arrays.equals(gather(set, 3, 1, 0, 4, 0).inputs, gather(set, 4, 1, 0, 4, 0).inputs));
    }

    /** Half of a mini-batch of sequences that came together by chance would be behind an end. */
    @Test
    void littleIsBehindAnEnd() {
        SequenceSet set = set(2000, 1);
        SequenceBatches batches = new SequenceBatches(set, 1, 1, 0, 8);
        long places = IntStream.range(0, batches.iterationsPerEpoch()).mapToLong(i -> 8L * batches.steps(i)).sum();
        long steps = Arrays.stream(set.lengths()).sum();
        assertTrue(places < 1.1 * steps, places + " places for " + steps + " steps");
    }

    @Test
    void refusesWhatDoesNotFit() {
        assertEquals(
                "there are 5 sequences to train with, and a mini-batch of 2 workers takes 6; give a longer text,"
                        + " a smaller batch or fewer workers",
                assertThrows(DataException.class, () -> new SequenceBatches(set(5, 1), 1, 2, 0, 3)).getMessage());
        SequenceSet set = new SequenceSet(IntStream.range(0, 9).toArray(), new int[]{0, 4}, new int[]{3, 4});
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            Tensor inputs = heap.allocate(ElementType.INT32, Shape.of(3, 2));
            assertEquals("inputs[3, 2], labels[6] and ends[2] do not fit 2 sequences of up to 4 steps",
                    assertThrows(IllegalArgumentException.class, () -> set.gather(new int[]{0, 1}, 0, inputs,
                            heap.ints(new int[6]), heap.ints(0, 0))).getMessage());
        }
    }

    private static Batch gather(SequenceSet set, long seed, int workers, int worker, int batch, int iteration) {
        SequenceBatches batches = new SequenceBatches(set, seed, workers, worker, batch);
        try (Arena scope = Arena.ofConfined()) {
            HeapOfTensors heap = new HeapOfTensors(scope);
            int steps = batches.steps(iteration);
            Tensor inputs = heap.allocate(ElementType.INT32, Shape.of(steps, batch));
            Tensor labels = heap.allocate(ElementType.INT32, Shape.of((long) steps * batch));
            Tensor ends = heap.allocate(ElementType.INT32, Shape.of(batch));
            batches.gather(iteration, inputs, labels, ends);
            return new Batch(steps, KernelRuns.ints(inputs), KernelRuns.ints(labels), KernelRuns.ints(ends));
        }
    }

    /** Whose ids are their own indices, so that a sequence is known by its first. */
    private static SequenceSet set(int count, long seed) {
        int[] lengths = new Random(seed).ints(count, 1, LENGTH_MAX + 1).toArray();
        int[] starts = new int[count];
        for (int i = 1; i < count; i++) {
            starts[i] = starts[i - 1] + lengths[i - 1] + 1;
        }
        return new SequenceSet(IntStream.range(0, starts[count - 1] + LENGTH_MAX + 2).toArray(), starts, lengths);
    }
}
