package dev.verbena.training.data;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

import dev.verbena.training.data.SeededRandom.Purpose;
import org.junit.jupiter.api.Test;

class SeededRandomTest {
    @Test
    void isSplitMix64() {
        // The JDK's is the same algorithm with another finishing step for its seed only.
        SplittableRandom reference = new SplittableRandom(42);
        SeededRandom random = SeededRandom.ofState(42);
        for (int i = 0; i < 100; i++) {
            assertEquals(reference.nextLong(), random.nextLong());
        }
    }

    @Test
    void eachPurposeAndIndexHasItsOwnStream() {
        long first = new SeededRandom(1, Purpose.EPOCH, 0).nextLong();
        assertEquals(first, new SeededRandom(1, Purpose.EPOCH, 0).nextLong());
        assertNotEquals(first, new SeededRandom(1, Purpose.EPOCH, 1).nextLong());
        assertNotEquals(first, new SeededRandom(1, Purpose.WEIGHTS, 0).nextLong());
        assertNotEquals(first, new SeededRandom(2, Purpose.EPOCH, 0).nextLong());
    }

    @Test
    void staysWithinItsBounds() {
        SeededRandom random = new SeededRandom(1, Purpose.SPLIT, 0);
        int[] counts = new int[7];
        double sum = 0;
        for (int i = 0; i < 70_000; i++) {
            counts[random.nextInt(7)]++;
            float value = random.nextFloat(-3, 5);
            assertTrue(value >= -3 && value < 5);
            sum += value;
        }
        assertTrue(Arrays.stream(counts).allMatch(count -> Math.abs(count - 10_000) < 500), Arrays.toString(counts));
        assertEquals(1, sum / 70_000, .05);
    }

    @Test
    void permutesEachIndexOnce() {
        int[] order = new SeededRandom(1, Purpose.EPOCH, 3).permutation(1000);
        assertNotEquals(0, IntStream.range(0, 1000).filter(i -> order[i] != i).count());
        assertArrayEquals(IntStream.range(0, 1000).toArray(), Arrays.stream(order).sorted().toArray());
    }
}
