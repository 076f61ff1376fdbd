package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.math.BigDecimal;
import java.util.function.DoubleToIntFunction;
import java.util.function.IntToDoubleFunction;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every code of every format, and every number at which the rounding changes, against the formats' definition. */
class SmallFloatsTest {
    private static final BigDecimal TWO = BigDecimal.valueOf(2);

    /**
     * @param maxCode of the largest finite number
     * @param overflowCode what is beyond it: an infinity, or NaN where there is none
     */
    private record Format(String name, int bitSize, int mantissaBits, int bias, int maxCode, int overflowCode,
            DoubleToIntFunction encode, IntToDoubleFunction decode) {
        int signBit() {
            return 1 << bitSize - 1;
        }

        /** By the definition: {@code 2^(e - bias) (1 + m / 2^mantissaBits)}, and {@code 2^(1 - bias) m / 2^mantissaBits} for e = 0. */
        BigDecimal value(int code) {
            int exponent = code >> mantissaBits;
            int mantissa = code & (1 << mantissaBits) - 1;
            int significand = exponent == 0 ? mantissa : mantissa + (1 << mantissaBits);
            int power = Math.max(exponent, 1) - bias - mantissaBits;
            return power >= 0 ? TWO.pow(power).multiply(BigDecimal.valueOf(significand))
                    : BigDecimal.valueOf(significand).divide(TWO.pow(-power));
        }

        @Override
        public String toString() {
            return name;
        }
    }

    private static Stream<Format> formats() {
        return Stream.of(
                new Format("float16", 16, 10, 15, 0x7bff, 0x7c00, value -> SmallFloats.toFloat16(value) & 0xffff,
                        code -> Float.float16ToFloat((short) code)),
                new Format("bfloat16", 16, 7, 127, 0x7f7f, 0x7f80, value -> SmallFloats.toBfloat16(value) & 0xffff,
                        code -> SmallFloats.fromBfloat16((short) code)),
                new Format("e4m3fn", 8, 3, 7, 0x7e, 0x7f, value -> SmallFloats.toFloat8E4m3fn(value, false) & 0xff,
                        code -> SmallFloats.fromFloat8E4m3fn((byte) code)),
                new Format("e5m2", 8, 2, 15, 0x7b, 0x7c, value -> SmallFloats.toFloat8E5m2(value, false) & 0xff,
                        code -> SmallFloats.fromFloat8E5m2((byte) code)),
                new Format("e4m3fn saturating", 8, 3, 7, 0x7e, 0x7e,
                        value -> SmallFloats.toFloat8E4m3fn(value, true) & 0xff,
                        code -> SmallFloats.fromFloat8E4m3fn((byte) code)),
                new Format("e5m2 saturating", 8, 2, 15, 0x7b, 0x7b,
                        value -> SmallFloats.toFloat8E5m2(value, true) & 0xff,
                        code -> SmallFloats.fromFloat8E5m2((byte) code)));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void everyCodeIsTheNumberOfTheDefinitionAndComesBack(Format format) {
        for (int code = 0; code <= format.maxCode; code++) {
            double value = format.decode.applyAsDouble(code);
            assertEquals(0, format.value(code).compareTo(new BigDecimal(value)), () -> format + " value=" + value);
            assertEquals(code, format.encode.applyAsInt(value));
            double negative = format.decode.applyAsDouble(format.signBit() | code);
            assertEquals(-value, negative);
            assertEquals(format.signBit() | code, format.encode.applyAsInt(negative));
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void codesBeyondTheLargestNumberAreInfiniteOrNone(Format format) {
        int infinity = format.mantissaBits == 3 ? -1 : format.maxCode + 1;
        for (int code = format.maxCode + 1; code < format.signBit(); code++) {
            double value = format.decode.applyAsDouble(code);
            assertEquals(code == infinity ? Double.POSITIVE_INFINITY : Double.NaN, value);
            assertEquals(-value, format.decode.applyAsDouble(format.signBit() | code));
            if (Double.isNaN(value)) {
                int back = format.encode.applyAsInt(value);
                assertTrue(Double.isNaN(format.decode.applyAsDouble(back)), () -> format + " code=" + back);
            }
        }
    }

    /** The nearest, and of two the even code: below and above the middle of each two neighbours, and there. */
    @ParameterizedTest
    @MethodSource("formats")
    void roundingIsToTheNearestTiesToEven(Format format) {
        for (int code = 0; code < format.maxCode; code++) {
            BigDecimal sum = format.value(code).add(format.value(code + 1));
            double middle = sum.divide(TWO).doubleValue();
            assertEquals(0, new BigDecimal(middle).multiply(TWO).compareTo(sum), "a double holds the middle");
            assertRounded(format, code, Math.nextDown(middle));
            assertRounded(format, code + (code & 1), middle);
            assertRounded(format, code + 1, Math.nextUp(middle));
            assertRounded(format, code + (code & 1), (float) middle);
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void whatIsBeyondTheLargestNumberAfterRoundingOverflows(Format format) {
        BigDecimal max = format.value(format.maxCode);
        double middle = max.add(format.value(format.maxCode + 1)).divide(TWO).doubleValue();
        assertRounded(format, format.maxCode, Math.nextDown(middle));
        int tie = format.maxCode % 2 == 0 ? format.maxCode : format.overflowCode;
        assertRounded(format, tie, middle);
        for (double beyond : new double[]{Math.nextUp(middle), 2 * middle, 0x1p127, Float.MAX_VALUE, Double.MAX_VALUE,
                Double.POSITIVE_INFINITY}) {
            if (beyond > middle) {
                assertRounded(format, format.overflowCode, beyond);
            }
        }
    }

    @ParameterizedTest
    @MethodSource("formats")
    void theLeastNumbersBecomeZeroWithTheirSign(Format format) {
        for (double least : new double[]{0, Double.MIN_VALUE, Double.MIN_NORMAL, Float.MIN_VALUE / 2}) {
            assertRounded(format, 0, least);
        }
        double half = format.value(1).divide(TWO).doubleValue();
        assertRounded(format, 0, half);
        assertRounded(format, 1, Math.nextUp(half));
    }

    @ParameterizedTest
    @MethodSource("formats")
    void noNumberStaysNoneWithItsSign(Format format) {
        for (long payload : new long[]{0x7ff8000000000000L, 0x7ff0000000000001L, 0x7fffffffffffffffL}) {
            for (long sign : new long[]{0, Long.MIN_VALUE}) {
                int code = format.encode.applyAsInt(Double.longBitsToDouble(sign | payload));
                assertTrue(Double.isNaN(format.decode.applyAsDouble(code)), () -> format + " code=" + code);
                assertEquals(sign == 0 ? 0 : format.signBit(), code & format.signBit());
            }
        }
    }

    /** The JDK's own conversion is another oracle: of one float in 509, of all magnitudes. */
    @Test
    void float16IsAsTheJdkHasIt() {
        for (long bits = 0; bits < 1L << 32; bits += 509) {
            float value = Float.intBitsToFloat((int) bits);
            if (value == value) {
                short expected = Float.floatToFloat16(value);
                short code = SmallFloats.toFloat16(value);
                if (expected != code) {
                    assertEquals(expected, code, "value=" + value);
                }
            }
        }
    }

    /** A double that is rounded to a float first becomes a tie, and then another number. */
    @Test
    void doublesAreRoundedOnce() {
        double aboveTheMiddle = 1 + 0x1p-8 + 0x1p-40;
        assertEquals(0x3f81, SmallFloats.toBfloat16(aboveTheMiddle));
        assertEquals(0x3f80, SmallFloats.toBfloat16((float) aboveTheMiddle));
    }

    /** As the specification prints them. */
    @Test
    void largestAndSmallestNumbers() {
        assertEquals(448, SmallFloats.fromFloat8E4m3fn((byte) 0x7e));
        assertEquals(0x1p-9f, SmallFloats.fromFloat8E4m3fn((byte) 1));
        assertEquals(57344, SmallFloats.fromFloat8E5m2((byte) 0x7b));
        assertEquals(0x1p-16f, SmallFloats.fromFloat8E5m2((byte) 1));
    }

    private static void assertRounded(Format format, int code, double value) {
        assertEquals(code, format.encode.applyAsInt(value), () -> format + " value=" + value);
        assertEquals(format.signBit() | code, format.encode.applyAsInt(-value), () -> format + " value=" + -value);
    }
}
