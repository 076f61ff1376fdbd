package dev.verbena.graph.onnx;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;

import dev.verbena.memory.ElementType;

/**
 * Elements of small tensors of a model.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> immutable.
 */
final class TensorNumbers {
    private static final ValueLayout.OfShort SHORT = ValueLayout.JAVA_SHORT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfFloat FLOAT = ValueLayout.JAVA_FLOAT_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfDouble DOUBLE = ValueLayout.JAVA_DOUBLE_UNALIGNED
            .withOrder(ByteOrder.LITTLE_ENDIAN);

    private TensorNumbers() {}

    /** Of integers and booleans; empty for others. */
    static Optional<long[]> integers(ElementType type, MemorySegment raw, int count) {
        boolean isInteger = switch (type) {
            case INT64, INT32, INT16, INT8, UINT64, UINT32, UINT16, UINT8, BOOL -> true;
            default -> false;
        };
        if (!isInteger) {
            return Optional.empty();
        }
        long[] numbers = new long[count];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = integer(type, raw, (long) i * type.bitSize() / Byte.SIZE);
        }
        return Optional.of(numbers);
    }

    private static long integer(ElementType type, MemorySegment raw, long offset) {
        return switch (type) {
            case INT64, UINT64 -> raw.get(LONG, offset);
            case INT32 -> raw.get(INT, offset);
            case UINT32 -> Integer.toUnsignedLong(raw.get(INT, offset));
            case INT16 -> raw.get(SHORT, offset);
            case UINT16 -> Short.toUnsignedLong(raw.get(SHORT, offset));
            case INT8 -> raw.get(ValueLayout.JAVA_BYTE, offset);
            default -> Byte.toUnsignedLong(raw.get(ValueLayout.JAVA_BYTE, offset));
        };
    }

    /** Of floats of 32 and 64 bits; empty for others. */
    static Optional<double[]> floats(ElementType type, MemorySegment raw, int count) {
        if (type != ElementType.FLOAT32 && type != ElementType.FLOAT64) {
            return Optional.empty();
        }
        double[] numbers = new double[count];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = type == ElementType.FLOAT64 ? raw.get(DOUBLE, (long) i * Double.BYTES)
                    : raw.get(FLOAT, (long) i * Float.BYTES);
        }
        return Optional.of(numbers);
    }
}
