package dev.verbena.memory;

/**
 * Floating-point numbers of 16 and 8 bits: to and from their codes.
 *
 * <p>To a code, a number is rounded once, to the nearest, ties to the even code; zeros and NaN keep their sign. Numbers that after rounding
 * are beyond the largest finite one become infinite, in FLOAT8E4M3FN, which has no infinities, NaN. The two eight-bit formats are also had
 * saturating, which is ONNX's default for a {@code Cast}: such numbers and infinities then become the largest finite one. NaN stays NaN.
 *
 * <p>From a code, every number is exact. FLOAT16 is read by {@link Float#float16ToFloat}.
 *
 * <p>Sources: IEEE 754-2019; OCP 8-bit Floating Point Specification, revision 1.0; ONNX, "Float stored in 8 bits", tables of the cast.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> no state.
 */
public final class SmallFloats {
    private static final int DOUBLE_BIAS = 1023;
    private static final int DOUBLE_MANTISSA_BITS = 52;
    private static final long DOUBLE_HIDDEN_BIT = 1L << DOUBLE_MANTISSA_BITS;

    private static final int FLOAT16_INFINITY = 0x7c00;
    private static final int FLOAT16_NAN = 0x7e00;
    private static final int BFLOAT16_INFINITY = 0x7f80;
    private static final int BFLOAT16_NAN = 0x7fc0;
    private static final int E4M3FN_MAX = 0x7e;
    private static final int E5M2_MAX = 0x7b;
    private static final int E5M2_INFINITY = 0x7c;
    /** Of both formats. */
    private static final int FLOAT8_NAN = 0x7f;

    private SmallFloats() {}

    /** As {@link Float#floatToFloat16}, but a double is rounded once. */
    public static short toFloat16(double value) {
        return (short) signed(value, 16, Double.isNaN(value) ? FLOAT16_NAN
                : Math.min(magnitude(value, 15, 10), FLOAT16_INFINITY));
    }

    /** The upper half of a FLOAT32, rounded once from the double to the nearest, ties to even; what is too large becomes infinite. */
    public static short toBfloat16(double value) {
        return (short) signed(value, 16, Double.isNaN(value) ? BFLOAT16_NAN
                : Math.min(magnitude(value, 127, 7), BFLOAT16_INFINITY));
    }

    /** @param saturates whether numbers that are too large become 448, not NaN */
    public static byte toFloat8E4m3fn(double value, boolean saturates) {
        return (byte) signed(value, 8, Double.isNaN(value) ? FLOAT8_NAN
                : Math.min(magnitude(value, 7, 3), saturates ? E4M3FN_MAX : FLOAT8_NAN));
    }

    /** @param saturates whether numbers that are too large become 57344, not infinite */
    public static byte toFloat8E5m2(double value, boolean saturates) {
        return (byte) signed(value, 8, Double.isNaN(value) ? FLOAT8_NAN
                : Math.min(magnitude(value, 15, 2), saturates ? E5M2_MAX : E5M2_INFINITY));
    }

    /** Exact, for each code: its bits become the upper half of the float's. */
    public static float fromBfloat16(short code) {
        return Float.intBitsToFloat(code << 16);
    }

    /** Exact, for each code: -448 to 448, or NaN for 0x7f and 0xff; none is infinite. */
    public static float fromFloat8E4m3fn(byte code) {
        int exponent = code >>> 3 & 0xf;
        int mantissa = code & 7;
        float magnitude = (code & 0x7f) == FLOAT8_NAN ? Float.NaN
                : exponent == 0 ? mantissa * 0x1p-9f : Math.scalb(8f + mantissa, exponent - 10);
        return code < 0 ? -magnitude : magnitude;
    }

    /** Exact, for each code: finite up to 57,344 in size, infinite or NaN, as the upper half of a FLOAT16. */
    public static float fromFloat8E5m2(byte code) {
        return Float.float16ToFloat((short) (code << 8));
    }

    private static int signed(double value, int bitSize, int magnitude) {
        return (int) (Double.doubleToRawLongBits(value) >>> 63) << bitSize - 1 | magnitude;
    }

    /** The code of the rounded number without its sign, as if the format's exponents went on for ever; of no NaN. */
    private static int magnitude(double value, int bias, int mantissaBits) {
        long bits = Double.doubleToRawLongBits(value) & Long.MAX_VALUE;
        int exponent = (int) (bits >>> DOUBLE_MANTISSA_BITS) - DOUBLE_BIAS + bias;
        int shift = DOUBLE_MANTISSA_BITS - mantissaBits;
        long code = bits - ((long) (DOUBLE_BIAS - bias) << DOUBLE_MANTISSA_BITS);
        if (exponent < 1) {
            shift += 1 - exponent;
            code = bits & DOUBLE_HIDDEN_BIT - 1 | DOUBLE_HIDDEN_BIT;
            if (shift > DOUBLE_MANTISSA_BITS + 1) {
                return 0;
            }
        }
        long roundedUp = (1L << shift - 1) - 1 + (code >>> shift & 1);
        return (int) (code + roundedUp >>> shift);
    }
}
