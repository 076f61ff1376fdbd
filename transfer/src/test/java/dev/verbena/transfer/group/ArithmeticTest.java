package dev.verbena.transfer.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.SplittableRandom;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.Reduction;

/** However a mean is computed: it is the quotient, to the last bit, of any sum, also of subnormal, infinite and undefined ones. */
class ArithmeticTest {
    private static final int COUNT = 20_000;
    /** Elements in front, which are not to change. */
    private static final int BEFORE = 3;

    private static final float[] FLOATS = {1f, 2f, 3f, 0f, -0f, Float.MIN_VALUE, 3 * Float.MIN_VALUE,
            -7 * Float.MIN_VALUE,
            Float.MIN_NORMAL, Float.MAX_VALUE, Float.NEGATIVE_INFINITY, Float.NaN};
    private static final double[] DOUBLES = {1, 2, 3, 0, -0.0, Double.MIN_VALUE, 3 * Double.MIN_VALUE,
            -7 * Double.MIN_VALUE,
            Double.MIN_NORMAL, Double.MAX_VALUE, Double.NEGATIVE_INFINITY, Double.NaN};

    private final SplittableRandom random = new SplittableRandom(1);

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 7, 8, 64, 100, 1 << 20, 1 << 30})
    void meansOfFloatsAreQuotients(int members) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_FLOAT, COUNT);
            float[] sums = new float[COUNT];
            for (int i = 0; i < COUNT; i++) {
                sums[i] = i < FLOATS.length ? FLOATS[i] : Float.intBitsToFloat(random.nextInt());
                memory.setAtIndex(ValueLayout.JAVA_FLOAT, i, sums[i]);
            }
            Arithmetic.FLOAT32.finish(Reduction.MEAN, memory, BEFORE * Float.BYTES, (COUNT - BEFORE) * Float.BYTES,
                    members);
            for (int i = 0; i < COUNT; i++) {
                float expected = i < BEFORE ? sums[i] : sums[i] / members;
                float mean = memory.getAtIndex(ValueLayout.JAVA_FLOAT, i);
                assertEquals(Float.floatToIntBits(expected), Float.floatToIntBits(mean), sums[i] + " / " + members);
            }
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 4, 6, 7, 8, 64, 100, 1 << 20, 1 << 30})
    void meansOfDoublesAreQuotients(int members) {
        try (Arena arena = Arena.ofConfined()) {
            MemorySegment memory = arena.allocate(ValueLayout.JAVA_DOUBLE, COUNT);
            double[] sums = new double[COUNT];
            for (int i = 0; i < COUNT; i++) {
                sums[i] = i < DOUBLES.length ? DOUBLES[i] : Double.longBitsToDouble(random.nextLong());
                memory.setAtIndex(ValueLayout.JAVA_DOUBLE, i, sums[i]);
            }
            Arithmetic.FLOAT64.finish(Reduction.MEAN, memory, BEFORE * Double.BYTES, (COUNT - BEFORE) * Double.BYTES,
                    members);
            for (int i = 0; i < COUNT; i++) {
                double expected = i < BEFORE ? sums[i] : sums[i] / members;
                double mean = memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                assertEquals(Double.doubleToLongBits(expected), Double.doubleToLongBits(mean),
                        sums[i] + " / " + members);
            }
        }
    }
}
