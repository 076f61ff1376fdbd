package dev.verbena.transfer.group;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.SplittableRandom;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.ElementType;
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
            Arithmetic.of(ElementType.FLOAT32).finish(Reduction.MEAN, memory, BEFORE * Float.BYTES,
                    (COUNT - BEFORE) * Float.BYTES,
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
            Arithmetic.of(ElementType.FLOAT64).finish(Reduction.MEAN, memory, BEFORE * Double.BYTES,
                    (COUNT - BEFORE) * Double.BYTES,
                    members);
            for (int i = 0; i < COUNT; i++) {
                double expected = i < BEFORE ? sums[i] : sums[i] / members;
                double mean = memory.getAtIndex(ValueLayout.JAVA_DOUBLE, i);
                assertEquals(Double.doubleToLongBits(expected), Double.doubleToLongBits(mean),
                        sums[i] + " / " + members);
            }
        }
    }

    /** More than one block of arrays, and what does not fill one; the bytes in front and behind stay as they are. */
    @ParameterizedTest
    @EnumSource(names = {"FLOAT64", "FLOAT32", "FLOAT16", "BFLOAT16", "INT32", "INT64"})
    void sumsAreOfEachElementAndOfNoOther(ElementType type) {
        int byteSize = (int) type.byteSize(5_000);
        int toOffset = (int) type.byteSize(3);
        int fromOffset = (int) type.byteSize(1);
        byte[] before = new byte[byteSize + 64];
        byte[] added = new byte[byteSize + 64];
        random.nextBytes(before);
        random.nextBytes(added);
        MemorySegment to = MemorySegment.ofArray(before.clone());
        Arithmetic.of(type).add(to, toOffset, MemorySegment.ofArray(added), fromOffset, byteSize);
        ByteBuffer expected = ByteBuffer.wrap(before.clone()).order(ByteOrder.nativeOrder());
        ByteBuffer summand = ByteBuffer.wrap(added).order(ByteOrder.nativeOrder());
        for (int i = 0; i < byteSize; i += (int) type.byteSize(1)) {
            int at = toOffset + i;
            int from = fromOffset + i;
            switch (type) {
                case FLOAT64 -> expected.putDouble(at, expected.getDouble(at) + summand.getDouble(from));
                case FLOAT32 -> expected.putFloat(at, expected.getFloat(at) + summand.getFloat(from));
                case FLOAT16 -> expected.putShort(at, Float.floatToFloat16(
                        Float.float16ToFloat(expected.getShort(at)) + Float.float16ToFloat(summand.getShort(from))));
                case BFLOAT16 -> expected.putShort(at, nearestBfloat16(Float.intBitsToFloat(expected.getShort(at) << 16)
                        + Float.intBitsToFloat(summand.getShort(from) << 16)));
                case INT32 -> expected.putInt(at, expected.getInt(at) + summand.getInt(from));
                default -> expected.putLong(at, expected.getLong(at) + summand.getLong(from));
            }
        }
        assertSame(type, expected, ByteBuffer.wrap(to.toArray(ValueLayout.JAVA_BYTE)).order(ByteOrder.nativeOrder()));
    }

    /** Of the two neighbours the nearer one, or the even one; by what lies between, in double precision. */
    private static short nearestBfloat16(float value) {
        int low = Float.floatToRawIntBits(value) >>> 16;
        if (Float.isNaN(value) || Float.isInfinite(value)) {
            return (short) low;
        }
        // The next one away from zero; where that is infinite, as far away as if it were finite.
        double lower = Math.abs((double) Float.intBitsToFloat(low << 16));
        double upper = low << 16 == 0x7f7f0000 || low << 16 == 0xff7f0000 ? 0x1p128
                : Math.abs((double) Float.intBitsToFloat(low + 1 << 16));
        double middle = (lower + upper) / 2;
        double size = Math.abs((double) value);
        return (short) (size > middle || size == middle && (low & 1) == 1 ? low + 1 : low);
    }

    /** One NaN is like another. */
    private static void assertSame(ElementType type, ByteBuffer expected, ByteBuffer actual) {
        if (type == ElementType.INT32 || type == ElementType.INT64) {
            assertEquals(expected, actual);
            return;
        }
        int step = (int) type.byteSize(1);
        for (int at = 0; at + step <= expected.capacity(); at += step) {
            boolean areNan = isNan(type, expected, at) && isNan(type, actual, at);
            for (int i = 0; i < step && !areNan; i++) {
                assertEquals(expected.get(at + i), actual.get(at + i), type + " at byte " + (at + i));
            }
        }
    }

    private static boolean isNan(ElementType type, ByteBuffer bytes, int at) {
        return switch (type) {
            case FLOAT64 -> Double.isNaN(bytes.getDouble(at));
            case FLOAT32 -> Float.isNaN(bytes.getFloat(at));
            case FLOAT16 -> Float.isNaN(Float.float16ToFloat(bytes.getShort(at)));
            default -> Float.isNaN(Float.intBitsToFloat(bytes.getShort(at) << 16));
        };
    }
}
