package dev.verbena.transfer.group;

import java.lang.foreign.MemorySegment;

import dev.verbena.memory.ElementType;
import dev.verbena.transfer.Reduction;

/**
 * Sums and means of elements of one type. Each sum of two is rounded to the type, to the nearest and of two as near to the even one;
 * those of FLOAT16 and BFLOAT16 are computed in FLOAT32 before.
 *
 * <p>Elements are computed in arrays of the Java heap, some that a first-level cache holds at a time: of a loop over arrays the compiler makes
 * vectors, of one over two segments it does not, since they might overlap. So a sum of what is in memory is twice as fast in spite of three
 * copies, within caches. Whole arrays have loops of their own, whose count is known: of one that has met small tensors first, some elements at a
 * time, the compiler makes no vectors either, and sums of large ones would take two to four times as long for good.
 *
 * <p><b>Owner:</b> {@link Collectives}. <b>Threading:</b> while driving.
 */
abstract sealed class Arithmetic {
    /** Of each array. */
    private static final int BLOCK_BYTE_SIZE = 8 * 1024;

    private static final int HIGH = 16;
    private static final int JUST_BELOW_HALF = 0x7FFF;
    private static final int INFINITY = 0x7F80_0000;
    private static final int QUIET = 0x0040;

    /** The two arrays. */
    private final MemorySegment first;
    private final MemorySegment second;
    private final int elementByteSize;

    private Arithmetic(MemorySegment first, MemorySegment second, int elementByteSize) {
        this.first = first;
        this.second = second;
        this.elementByteSize = elementByteSize;
    }

    /** @throws IllegalArgumentException if elements of that type are not added here */
    static Arithmetic of(ElementType type) {
        return switch (type) {
            case FLOAT64 -> new Float64();
            case FLOAT32 -> new Float32();
            case FLOAT16 -> new Float16();
            case BFLOAT16 -> new Bfloat16();
            case INT32 -> new Int32();
            case INT64 -> new Int64();
            default -> throw isNotReduced(type);
        };
    }

    /** @throws IllegalArgumentException if that is not done with elements of that type */
    static void check(ElementType type, Reduction reduction) {
        switch (type) {
            case FLOAT64, FLOAT32, FLOAT16, BFLOAT16 -> {
            }
            case INT32, INT64 -> {
                if (reduction == Reduction.MEAN) {
                    throw new IllegalArgumentException(type + " has no MEAN; use SUM");
                }
            }
            default -> throw isNotReduced(type);
        }
    }

    private static IllegalArgumentException isNotReduced(ElementType type) {
        return new IllegalArgumentException(
                type + " is not reduced; known: FLOAT64, FLOAT32, FLOAT16, BFLOAT16, INT32, INT64");
    }

    /** Adds so many bytes of elements to others. */
    final void add(MemorySegment to, long toOffset, MemorySegment from, long fromOffset, int byteSize) {
        for (int at = 0; at < byteSize; at += BLOCK_BYTE_SIZE) {
            int block = Math.min(byteSize - at, BLOCK_BYTE_SIZE);
            MemorySegment.copy(to, toOffset + at, first, 0, block);
            MemorySegment.copy(from, fromOffset + at, second, 0, block);
            if (block == BLOCK_BYTE_SIZE) {
                addAll();
            } else {
                add(block / elementByteSize);
            }
            MemorySegment.copy(first, 0, to, toOffset + at, block);
        }
    }

    /** Makes of the sum what is wanted. */
    final void finish(Reduction reduction, MemorySegment to, long offset, int byteSize, int members) {
        if (reduction != Reduction.MEAN) {
            return;
        }
        for (int at = 0; at < byteSize; at += BLOCK_BYTE_SIZE) {
            int block = Math.min(byteSize - at, BLOCK_BYTE_SIZE);
            MemorySegment.copy(to, offset + at, first, 0, block);
            if (block == BLOCK_BYTE_SIZE) {
                divideAll(members);
            } else {
                divide(block / elementByteSize, members);
            }
            MemorySegment.copy(first, 0, to, offset + at, block);
        }
    }

    /** So many elements of the second array to those of the first. */
    abstract void add(int count);

    /** All of them. */
    abstract void addAll();

    /** So many elements of the first array. */
    void divide(int count, int divisor) {
        throw new UnsupportedOperationException(getClass().getSimpleName() + " has no mean");
    }

    /** All of them. */
    void divideAll(int divisor) {
        divide(BLOCK_BYTE_SIZE / elementByteSize, divisor);
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

    private static final class Float64 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Double.BYTES;
        private final double[] first;
        private final double[] second;

        Float64() {
            this(new double[COUNT], new double[COUNT]);
        }

        private Float64(double[] first, double[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Double.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void divide(int count, int divisor) {
            for (int i = 0; i < count; i++) {
                first[i] /= divisor;
            }
        }

        @Override
        void divideAll(int divisor) {
            for (int i = 0; i < COUNT; i++) {
                first[i] /= divisor;
            }
        }
    }

    private static final class Float32 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Float.BYTES;
        private final float[] first;
        private final float[] second;

        Float32() {
            this(new float[COUNT], new float[COUNT]);
        }

        private Float32(float[] first, float[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Float.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void divide(int count, int divisor) {
            for (int i = 0; i < count; i++) {
                first[i] /= divisor;
            }
        }

        @Override
        void divideAll(int divisor) {
            for (int i = 0; i < COUNT; i++) {
                first[i] /= divisor;
            }
        }
    }

    private static final class Float16 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Short.BYTES;
        private final short[] first;
        private final short[] second;

        Float16() {
            this(new short[COUNT], new short[COUNT]);
        }

        private Float16(short[] first, short[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Short.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] = Float.floatToFloat16(Float.float16ToFloat(first[i]) + Float.float16ToFloat(second[i]));
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] = Float.floatToFloat16(Float.float16ToFloat(first[i]) + Float.float16ToFloat(second[i]));
            }
        }

        @Override
        void divide(int count, int divisor) {
            for (int i = 0; i < count; i++) {
                first[i] = Float.floatToFloat16(Float.float16ToFloat(first[i]) / divisor);
            }
        }

        @Override
        void divideAll(int divisor) {
            for (int i = 0; i < COUNT; i++) {
                first[i] = Float.floatToFloat16(Float.float16ToFloat(first[i]) / divisor);
            }
        }
    }

    private static final class Bfloat16 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Short.BYTES;
        private final short[] first;
        private final short[] second;

        Bfloat16() {
            this(new short[COUNT], new short[COUNT]);
        }

        private Bfloat16(short[] first, short[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Short.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] = floatToBfloat16(bfloat16ToFloat(first[i]) + bfloat16ToFloat(second[i]));
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] = floatToBfloat16(bfloat16ToFloat(first[i]) + bfloat16ToFloat(second[i]));
            }
        }

        @Override
        void divide(int count, int divisor) {
            for (int i = 0; i < count; i++) {
                first[i] = floatToBfloat16(bfloat16ToFloat(first[i]) / divisor);
            }
        }

        @Override
        void divideAll(int divisor) {
            for (int i = 0; i < COUNT; i++) {
                first[i] = floatToBfloat16(bfloat16ToFloat(first[i]) / divisor);
            }
        }
    }

    private static final class Int32 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Integer.BYTES;
        private final int[] first;
        private final int[] second;

        Int32() {
            this(new int[COUNT], new int[COUNT]);
        }

        private Int32(int[] first, int[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Integer.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] += second[i];
            }
        }
    }

    private static final class Int64 extends Arithmetic {
        private static final int COUNT = BLOCK_BYTE_SIZE / Long.BYTES;
        private final long[] first;
        private final long[] second;

        Int64() {
            this(new long[COUNT], new long[COUNT]);
        }

        private Int64(long[] first, long[] second) {
            super(MemorySegment.ofArray(first), MemorySegment.ofArray(second), Long.BYTES);
            this.first = first;
            this.second = second;
        }

        @Override
        void add(int count) {
            for (int i = 0; i < count; i++) {
                first[i] += second[i];
            }
        }

        @Override
        void addAll() {
            for (int i = 0; i < COUNT; i++) {
                first[i] += second[i];
            }
        }
    }
}
