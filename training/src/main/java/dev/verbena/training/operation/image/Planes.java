package dev.verbena.training.operation.image;

import static java.lang.foreign.ValueLayout.JAVA_FLOAT;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.Shape;

/**
 * How images lie in memory, [batch, channels, height, width]: a plane for each channel of each image, one behind the other.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 *
 * @param count of the planes of all images
 * @param channels planes of an image
 * @param size pixels of a plane
 */
record Planes(long count, long channels, long size) {
    static Planes of(Shape images) {
        return new Planes(images.dimension(0) * images.dimension(1), images.dimension(1),
                images.dimension(2) * images.dimension(3));
    }

    /** Pixels of one channel in all images. */
    long channelSize() {
        return channels == 0 ? 0 : count / channels * size;
    }

    // Four sums side by side, added up in one order: one alone would wait for its last addition each time.

    static double sum(MemorySegment x, long from, long count) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        long i = 0;
        for (; i < count - 3; i += 4) {
            sum0 += x.getAtIndex(JAVA_FLOAT, from + i);
            sum1 += x.getAtIndex(JAVA_FLOAT, from + i + 1);
            sum2 += x.getAtIndex(JAVA_FLOAT, from + i + 2);
            sum3 += x.getAtIndex(JAVA_FLOAT, from + i + 3);
        }
        for (; i < count; i++) {
            sum0 += x.getAtIndex(JAVA_FLOAT, from + i);
        }
        return sum0 + sum1 + (sum2 + sum3);
    }

    /** The sum of {@code (x - xCenter) * (y - yCenter)}. */
    static double sumOfProducts(MemorySegment x, double xCenter, MemorySegment y, double yCenter, long from,
            long count) {
        double sum0 = 0;
        double sum1 = 0;
        double sum2 = 0;
        double sum3 = 0;
        long i = 0;
        for (; i < count - 3; i += 4) {
            sum0 += (x.getAtIndex(JAVA_FLOAT, from + i) - xCenter) * (y.getAtIndex(JAVA_FLOAT, from + i) - yCenter);
            sum1 += (x.getAtIndex(JAVA_FLOAT, from + i + 1) - xCenter)
                    * (y.getAtIndex(JAVA_FLOAT, from + i + 1) - yCenter);
            sum2 += (x.getAtIndex(JAVA_FLOAT, from + i + 2) - xCenter)
                    * (y.getAtIndex(JAVA_FLOAT, from + i + 2) - yCenter);
            sum3 += (x.getAtIndex(JAVA_FLOAT, from + i + 3) - xCenter)
                    * (y.getAtIndex(JAVA_FLOAT, from + i + 3) - yCenter);
        }
        for (; i < count; i++) {
            sum0 += (x.getAtIndex(JAVA_FLOAT, from + i) - xCenter) * (y.getAtIndex(JAVA_FLOAT, from + i) - yCenter);
        }
        return sum0 + sum1 + (sum2 + sum3);
    }
}
