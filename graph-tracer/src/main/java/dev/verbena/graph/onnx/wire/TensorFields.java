package dev.verbena.graph.onnx.wire;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Optional;
import java.util.function.DoubleConsumer;
import java.util.function.LongConsumer;

import dev.verbena.graph.onnx.Contents;
import dev.verbena.graph.onnx.OnnxTypes;
import dev.verbena.memory.ElementType;
import dev.verbena.memory.Shape;

/**
 * Elements of a small tensor that has them as repeated fields of its message, as bytes: the form that others have at once.
 *
 * <p><b>Owner:</b> its creator. <b>Threading:</b> confined to its owner.
 */
final class TensorFields {
    private static final int FLOAT_DATA = 4;
    private static final int INT32_DATA = 5;
    private static final int INT64_DATA = 7;
    private static final int DOUBLE_DATA = 10;
    private static final int UINT64_DATA = 11;
    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private final WireReader message;
    private final String name;
    private final Shape shape;
    private final int byteSize;
    private final MemorySegment bytes;
    private int count;

    private TensorFields(WireReader message, String name, Shape shape, ElementType type) {
        this.message = message;
        this.name = name;
        this.shape = shape;
        byteSize = type.bitSize() / Byte.SIZE;
        bytes = MemorySegment.ofArray(new byte[(int) shape.byteSize(type)]);
    }

    /** Empty for a large tensor, and for types of which nobody asks for elements. */
    static Optional<MemorySegment> bytes(WireReader message, String name, long typeCode, Shape shape) {
        ElementType type = OnnxTypes.ofCode(typeCode).orElse(null);
        if (type == null || shape.elementCount() > Contents.COUNT_MAX) {
            return Optional.empty();
        }
        int field = switch (type) {
            case INT64 -> INT64_DATA;
            case UINT64, UINT32 -> UINT64_DATA;
            case INT32, INT16, INT8, UINT16, UINT8, BOOL -> INT32_DATA;
            case FLOAT32 -> FLOAT_DATA;
            case FLOAT64 -> DOUBLE_DATA;
            default -> 0;
        };
        return field == 0 ? Optional.empty()
                : Optional.of(new TensorFields(message, name, shape, type).read(field));
    }

    private MemorySegment read(int field) {
        LongConsumer each = this::add;
        DoubleConsumer eachDouble = number -> add(Double.doubleToRawLongBits(number));
        DoubleConsumer eachFloat = number -> add(Float.floatToRawIntBits((float) number));
        WireReader again = message.again();
        while (again.next()) {
            if (again.field() != field) {
                again.skip();
            } else if (field == FLOAT_DATA) {
                again.singlePrecisions(eachFloat);
            } else if (field == DOUBLE_DATA) {
                again.doublePrecisions(eachDouble);
            } else {
                again.integers(each);
            }
        }
        if (count < shape.elementCount()) {
            throw wrongCount("only " + count);
        }
        return bytes.asReadOnly();
    }

    private void add(long bits) {
        if (count == shape.elementCount()) {
            throw wrongCount("more");
        }
        long offset = (long) count++ * byteSize;
        switch (byteSize) {
            case Long.BYTES -> bytes.set(LONG, offset, bits);
            case Integer.BYTES -> bytes.set(INT, offset, (int) bits);
            case Short.BYTES -> {
                bytes.set(ValueLayout.JAVA_BYTE, offset, (byte) bits);
                bytes.set(ValueLayout.JAVA_BYTE, offset + 1, (byte) (bits >> Byte.SIZE));
            }
            default -> bytes.set(ValueLayout.JAVA_BYTE, offset, (byte) bits);
        }
    }

    private RuntimeException wrongCount(String found) {
        return message.failure("tensor '" + name + "': its shape " + shape + " has " + shape.elementCount()
                + " elements, " + found + " are there");
    }
}
