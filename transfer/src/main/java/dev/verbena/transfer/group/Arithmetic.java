package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.ElementType;
import dev.verbena.transfer.Reduction;

/**
 * Sums and means of elements of one type. Each sum of two is rounded to the type, to the nearest and of two as near to the even one;
 * those of FLOAT16 and BFLOAT16 are computed in FLOAT32 before. Loops without branches, of which the compiler makes vectors where one segment
 * alone is read and written, unless FLOAT32 or FLOAT64 is divided: it cannot know that two do not overlap.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
enum Arithmetic {
    FLOAT64 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Double.BYTES) {
                to.set(F64, toOffset + i, to.get(F64, toOffset + i) + from.get(F64, fromOffset + i));
            }
        }

        @Override
        void divide(MemorySegment to, long offset, int byteSize, int divisor) {
            if (isPowerOfTwo(divisor)) {
                multiply(to, offset, byteSize, 1.0 / divisor);
                return;
            }
            for (int i = 0; i < byteSize; i += Double.BYTES) {
                to.set(F64, offset + i, to.get(F64, offset + i) / divisor);
            }
        }

        private static void multiply(MemorySegment to, long offset, int byteSize, double factor) {
            for (int i = 0; i < byteSize; i += Double.BYTES) {
                to.set(F64, offset + i, to.get(F64, offset + i) * factor);
            }
        }
    },
    FLOAT32 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Float.BYTES) {
                to.set(F32, toOffset + i, to.get(F32, toOffset + i) + from.get(F32, fromOffset + i));
            }
        }

        @Override
        void divide(MemorySegment to, long offset, int byteSize, int divisor) {
            if (isPowerOfTwo(divisor)) {
                multiply(to, offset, byteSize, 1f / divisor);
                return;
            }
            for (int i = 0; i < byteSize; i += Float.BYTES) {
                to.set(F32, offset + i, to.get(F32, offset + i) / divisor);
            }
        }

        private static void multiply(MemorySegment to, long offset, int byteSize, float factor) {
            for (int i = 0; i < byteSize; i += Float.BYTES) {
                to.set(F32, offset + i, to.get(F32, offset + i) * factor);
            }
        }
    },
    FLOAT16 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Short.BYTES) {
                float sum = Float.float16ToFloat(to.get(I16, toOffset + i))
                        + Float.float16ToFloat(from.get(I16, fromOffset + i));
                to.set(I16, toOffset + i, Float.floatToFloat16(sum));
            }
        }

        @Override
        void divide(MemorySegment to, long offset, int byteSize, int divisor) {
            for (int i = 0; i < byteSize; i += Short.BYTES) {
                to.set(I16, offset + i, Float.floatToFloat16(Float.float16ToFloat(to.get(I16, offset + i)) / divisor));
            }
        }
    },
    BFLOAT16 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Short.BYTES) {
                float sum = bfloat16ToFloat(to.get(I16, toOffset + i)) + bfloat16ToFloat(from.get(I16, fromOffset + i));
                to.set(I16, toOffset + i, floatToBfloat16(sum));
            }
        }

        @Override
        void divide(MemorySegment to, long offset, int byteSize, int divisor) {
            for (int i = 0; i < byteSize; i += Short.BYTES) {
                to.set(I16, offset + i, floatToBfloat16(bfloat16ToFloat(to.get(I16, offset + i)) / divisor));
            }
        }
    },
    INT32 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Integer.BYTES) {
                to.set(I32, toOffset + i, to.get(I32, toOffset + i) + from.get(I32, fromOffset + i));
            }
        }
    },
    INT64 {
        @Override
        void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
            for (int i = 0; i < byteSize; i += Long.BYTES) {
                to.set(I64, toOffset + i, to.get(I64, toOffset + i) + from.get(I64, fromOffset + i));
            }
        }
    };

    private static final ValueLayout.OfDouble F64 = ValueLayout.JAVA_DOUBLE_UNALIGNED;
    private static final ValueLayout.OfFloat F32 = ValueLayout.JAVA_FLOAT_UNALIGNED;
    private static final ValueLayout.OfShort I16 = ValueLayout.JAVA_SHORT_UNALIGNED;
    private static final ValueLayout.OfInt I32 = ValueLayout.JAVA_INT_UNALIGNED;
    private static final ValueLayout.OfLong I64 = ValueLayout.JAVA_LONG_UNALIGNED;

    private static final int HIGH = 16;
    private static final int JUST_BELOW_HALF = 0x7FFF;
    private static final int INFINITY = 0x7F80_0000;
    private static final int QUIET = 0x0040;

    /** Adds so many bytes of elements to others. */
    abstract void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize);

    void divide(MemorySegment to, long offset, int byteSize, int divisor) {
        throw new UnsupportedOperationException(this + " has no mean");
    }

    /** Then multiplying by the inverse gives the same, to the last bit, in a quarter of the time. */
    private static boolean isPowerOfTwo(int divisor) {
        return Integer.bitCount(divisor) == 1;
    }

    /** Makes of the sum what is wanted. */
    void finish(Reduction reduction, MemorySegment to, long offset, int byteSize, int members) {
        if (reduction == Reduction.MEAN) {
            divide(to, offset, byteSize, members);
        }
    }

    /** @throws IllegalArgumentException if elements of that type are not added here */
    static Arithmetic of(ElementType type) {
        return switch (type) {
            case FLOAT64 -> FLOAT64;
            case FLOAT32 -> FLOAT32;
            case FLOAT16 -> FLOAT16;
            case BFLOAT16 -> BFLOAT16;
            case INT32 -> INT32;
            case INT64 -> INT64;
            default -> throw new IllegalArgumentException(type + " is not reduced; known: FLOAT64, FLOAT32, FLOAT16, "
                    + "BFLOAT16, INT32, INT64");
        };
    }

    /** @throws IllegalArgumentException if that is not done with elements of that type */
    static void check(ElementType type, Reduction reduction) {
        Arithmetic known = of(type);
        if (reduction == Reduction.MEAN && (known == INT32 || known == INT64)) {
            throw new IllegalArgumentException(type + " has no MEAN; use SUM");
        }
    }

    private static float bfloat16ToFloat(short bits) {
        return Float.intBitsToFloat(bits << HIGH);
    }

    private static short floatToBfloat16(float value) {
        int bits = Float.floatToRawIntBits(value);
        int rounded = bits + JUST_BELOW_HALF + (bits >>> HIGH & 1) >>> HIGH;
        boolean isNan = (bits & Integer.MAX_VALUE) > INFINITY;
        return (short) (isNan ? bits >>> HIGH | QUIET : rounded);
    }
}
