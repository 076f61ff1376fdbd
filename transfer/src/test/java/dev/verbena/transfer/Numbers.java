package dev.verbena.transfer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;

import dev.verbena.memory.ElementType;
import dev.verbena.memory.Tensor;

/** Elements of the types that groups reduce, as doubles. */
final class Numbers {
    private Numbers() {}

    /** The least difference of two numbers of the type around 1; of integers their least difference. */
    static double unit(ElementType type) {
        return switch (type) {
            case FLOAT64 -> 0x1p-52;
            case FLOAT32 -> 0x1p-23;
            case FLOAT16 -> 0x1p-10;
            case BFLOAT16 -> 0x1p-7;
            default -> 0;
        };
    }

    /** A number near it that the type has. */
    static double rounded(ElementType type, double number) {
        return unit(type) == 0 ? Math.rint(number * 1e6) : Math.rint(number / 8 / unit(type)) * 8 * unit(type);
    }

    static void fill(Tensor tensor, double number) {
        for (long i = 0; i < tensor.shape().elementCount(); i++) {
            set(tensor.type(), tensor.memory(), i, number);
        }
    }

    static void write(Tensor tensor, double[] numbers) {
        for (int i = 0; i < numbers.length; i++) {
            set(tensor.type(), tensor.memory(), i, numbers[i]);
        }
    }

    private static void set(ElementType type, MemorySegment memory, long i, double number) {
        switch (type) {
            case FLOAT64 -> memory.setAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i, number);
            case FLOAT32 -> memory.setAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i, (float) number);
            case FLOAT16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i,
                    Float.floatToFloat16((float) number));
            case BFLOAT16 -> memory.setAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i,
                    (short) (Float.floatToRawIntBits((float) number) >>> 16));
            case INT32 -> memory.setAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i, (int) number);
            case INT64 -> memory.setAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i, (long) number);
            default -> throw new IllegalArgumentException(type.toString());
        }
    }

    static double[] read(ElementType type, MemorySegment memory) {
        double[] numbers = new double[(int) (memory.byteSize() / type.byteSize(1))];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = switch (type) {
                case FLOAT64 -> memory.getAtIndex(ValueLayout.JAVA_DOUBLE_UNALIGNED, i);
                case FLOAT32 -> memory.getAtIndex(ValueLayout.JAVA_FLOAT_UNALIGNED, i);
                case FLOAT16 -> Float.float16ToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i));
                case BFLOAT16 -> Float.intBitsToFloat(memory.getAtIndex(ValueLayout.JAVA_SHORT_UNALIGNED, i) << 16);
                case INT32 -> memory.getAtIndex(ValueLayout.JAVA_INT_UNALIGNED, i);
                case INT64 -> memory.getAtIndex(ValueLayout.JAVA_LONG_UNALIGNED, i);
                default -> throw new IllegalArgumentException(type.toString());
            };
        }
        return numbers;
    }
}
