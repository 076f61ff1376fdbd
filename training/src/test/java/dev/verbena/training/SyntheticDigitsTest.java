package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.management.ManagementFactory;
import java.util.Arrays;
import java.util.zip.CRC32;

import org.junit.jupiter.api.Test;

class SyntheticDigitsTest {
    /** Another value on some machine or JDK means that seeds do not mean the same there. */
    private static final long PINNED = 134_225_956L;

    @Test
    void drawsTheSameDigitsOnEveryMachine() {
        Dataset data = Dataset.synthetic(1);
        assertEquals(PINNED, checksum(data.train().pixels()) ^ checksum(data.test().labels()));
        assertEquals(checksum(data.train().pixels()), checksum(Dataset.synthetic(1).train().pixels()));
        assertFalse(Arrays.equals(data.train().pixels(), Dataset.synthetic(2).train().pixels()));
    }

    @Test
    void drawsOnceAndNotBeforePixelsAreWanted() {
        long drawingBytes = allocatedBy(() -> Dataset.synthetic(1).draw());
        long planningBytes = allocatedBy(() -> {
            Dataset data = Dataset.synthetic(1);
            assertEquals(6000, data.trainCount() + data.testCount());
            assertEquals(10, data.classCount());
        });
        assertTrue(planningBytes < drawingBytes / 10, planningBytes + " and " + drawingBytes + " bytes");
        Dataset data = Dataset.synthetic(1);
        data.draw();
        assertSame(data.train().pixels(), data.train().pixels());
    }

    private static long allocatedBy(Runnable work) {
        var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
        long before = threads.getCurrentThreadAllocatedBytes();
        work.run();
        return threads.getCurrentThreadAllocatedBytes() - before;
    }

    @Test
    void drawsEachClassEquallyOften() {
        Dataset data = Dataset.synthetic(1);
        assertEquals(5000, data.trainCount());
        assertEquals(1000, data.testCount());
        assertEquals(784, data.featureCount());
        assertEquals(10, data.classCount());
        int[] counts = new int[10];
        for (int i = 0; i < data.trainCount(); i++) {
            counts[data.train().label(i)]++;
        }
        int[] expected = new int[10];
        Arrays.fill(expected, 500);
        assertArrayEquals(expected, counts);
    }

    /** The best that one picture per class can do is far from perfect: a network has something to learn. */
    @Test
    void aNearestMeanPictureIsNotEnough() {
        Dataset data = Dataset.synthetic(1);
        double[][] means = new double[10][784];
        for (int i = 0; i < data.trainCount(); i++) {
            for (int p = 0; p < 784; p++) {
                means[data.train().label(i)][p] += (data.train().pixels()[i * 784 + p] & 0xFF) / 500.0;
            }
        }
        int correct = 0;
        for (int i = 0; i < data.testCount(); i++) {
            correct += nearest(means, data.test().pixels(), i * 784) == data.test().label(i) ? 1 : 0;
        }
        assertTrue(correct > 400 && correct < 900, "correct=" + correct);
    }

    private static int nearest(double[][] means, byte[] pixels, int from) {
        int best = 0;
        double bestDistance = Double.POSITIVE_INFINITY;
        for (int digit = 0; digit < means.length; digit++) {
            double distance = 0;
            for (int p = 0; p < 784; p++) {
                double difference = means[digit][p] - (pixels[from + p] & 0xFF);
                distance += difference * difference;
            }
            if (distance < bestDistance) {
                bestDistance = distance;
                best = digit;
            }
        }
        return best;
    }

    private static long checksum(byte[] bytes) {
        CRC32 crc = new CRC32();
        crc.update(bytes);
        return crc.getValue();
    }
}
