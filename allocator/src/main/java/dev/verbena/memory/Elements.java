package dev.verbena.memory;

import static java.lang.foreign.ValueLayout.JAVA_BYTE;
import static java.lang.foreign.ValueLayout.JAVA_DOUBLE;
import static java.lang.foreign.ValueLayout.JAVA_FLOAT;
import static java.lang.foreign.ValueLayout.JAVA_INT;
import static java.lang.foreign.ValueLayout.JAVA_LONG;
import static java.lang.foreign.ValueLayout.JAVA_SHORT;

import java.lang.foreign.MemorySegment;
import java.util.Objects;

/**
 * Single elements of any type in memory that has them one behind the other, such as {@link Tensor#memory()}; for looking at a few, not for
 * computing with many.
 *
 * <p>A complex number is two elements of the type of its parts: the real part of the n-th COMPLEX64 is the FLOAT32 at index 2 n.
 *
 * <p>All throw {@link IndexOutOfBoundsException} if the memory has no such element.
 *
 * <p><b>Owner:</b> none. <b>Threading:</b> no state. Two INT4 share a byte, and who writes one writes both.
 */
public final class Elements {
    private Elements() {}

    /**
     * A number of any type that is not complex, of BOOL 0 or 1; exact but for integers of more than 53 bits, which are rounded.
     *
     * @throws UnsupportedOperationException if the type is complex
     */
    public static double getDouble(MemorySegment memory, ElementType type, long index) {
        return switch (type) {
            case FLOAT64 -> memory.get(JAVA_DOUBLE, at(memory, type, index));
            case FLOAT32 -> memory.get(JAVA_FLOAT, at(memory, type, index));
            case FLOAT16 -> Float.float16ToFloat(memory.get(JAVA_SHORT, at(memory, type, index)));
            case BFLOAT16 -> SmallFloats.fromBfloat16(memory.get(JAVA_SHORT, at(memory, type, index)));
            case FLOAT8E4M3FN -> SmallFloats.fromFloat8E4m3fn(memory.get(JAVA_BYTE, index));
            case FLOAT8E5M2 -> SmallFloats.fromFloat8E5m2(memory.get(JAVA_BYTE, index));
            case UINT64 -> unsignedToDouble(memory.get(JAVA_LONG, at(memory, type, index)));
            default -> getLong(memory, type, index);
        };
    }

    /**
     * Writes a number as any type that is not complex. Floats are rounded as {@link SmallFloats} says, without saturation.
     *
     * @throws IllegalArgumentException if the type is one of integers, or BOOL, and the number is none of these; UINT64 from 2^63 on only
     *             {@link #setLong} writes
     * @throws UnsupportedOperationException if the type is complex
     */
    public static void setDouble(MemorySegment memory, ElementType type, long index, double value) {
        switch (type) {
            case FLOAT64 -> memory.set(JAVA_DOUBLE, at(memory, type, index), value);
            case FLOAT32 -> memory.set(JAVA_FLOAT, at(memory, type, index), (float) value);
            case FLOAT16 -> memory.set(JAVA_SHORT, at(memory, type, index), SmallFloats.toFloat16(value));
            case BFLOAT16 -> memory.set(JAVA_SHORT, at(memory, type, index), SmallFloats.toBfloat16(value));
            case FLOAT8E4M3FN -> memory.set(JAVA_BYTE, index, SmallFloats.toFloat8E4m3fn(value, false));
            case FLOAT8E5M2 -> memory.set(JAVA_BYTE, index, SmallFloats.toFloat8E5m2(value, false));
            case COMPLEX64, COMPLEX128 -> throw noInteger(type);
            default -> {
                long whole = (long) value;
                // 2^63 becomes 2^63 - 1, which as a double is 2^63 again.
                if (whole != value || whole == Long.MAX_VALUE || type == ElementType.UINT64 && whole < 0) {
                    throw notOne(type, value);
                }
                setLong(memory, type, index, whole);
            }
        }
    }

    /**
     * An integer, or of BOOL 0 or 1; a UINT64 as its 64 bits, which {@link Long#toUnsignedString} shows.
     *
     * @throws UnsupportedOperationException if the type is none of integers
     */
    public static long getLong(MemorySegment memory, ElementType type, long index) {
        return switch (type) {
            case INT64, UINT64 -> memory.get(JAVA_LONG, at(memory, type, index));
            case INT32 -> memory.get(JAVA_INT, at(memory, type, index));
            case UINT32 -> Integer.toUnsignedLong(memory.get(JAVA_INT, at(memory, type, index)));
            case INT16 -> memory.get(JAVA_SHORT, at(memory, type, index));
            case UINT16 -> Short.toUnsignedLong(memory.get(JAVA_SHORT, at(memory, type, index)));
            case INT8 -> memory.get(JAVA_BYTE, index);
            case UINT8 -> Byte.toUnsignedLong(memory.get(JAVA_BYTE, index));
            case BOOL -> memory.get(JAVA_BYTE, index) == 0 ? 0 : 1;
            case INT4 -> memory.get(JAVA_BYTE, index >> 1) << 28 - half(index) >> 28;
            default -> throw noInteger(type);
        };
    }

    /**
     * Writes an integer, of BOOL 0 or 1; a UINT64 as its 64 bits.
     *
     * @throws IllegalArgumentException if the type has no such number
     * @throws UnsupportedOperationException if the type is none of integers
     */
    public static void setLong(MemorySegment memory, ElementType type, long index, long value) {
        switch (type) {
            case INT64, UINT64 -> memory.set(JAVA_LONG, at(memory, type, index), value);
            case INT32 -> memory.set(JAVA_INT, at(memory, type, index), (int) signed(type, value));
            case UINT32 -> memory.set(JAVA_INT, at(memory, type, index), (int) unsigned(type, value));
            case INT16 -> memory.set(JAVA_SHORT, at(memory, type, index), (short) signed(type, value));
            case UINT16 -> memory.set(JAVA_SHORT, at(memory, type, index), (short) unsigned(type, value));
            case INT8 -> memory.set(JAVA_BYTE, index, (byte) signed(type, value));
            case UINT8 -> memory.set(JAVA_BYTE, index, (byte) unsigned(type, value));
            case INT4 -> setHalf(memory, index, (int) signed(type, value));
            case BOOL -> {
                if (value != 0 && value != 1) {
                    throw notOne(type, value);
                }
                memory.set(JAVA_BYTE, index, (byte) value);
            }
            default -> throw noInteger(type);
        }
    }

    /** The offset of an element of whole bytes. {@link MemorySegment#getAtIndex} takes some indices whose offset overflows for small ones. */
    private static long at(MemorySegment memory, ElementType type, long index) {
        int byteSize = type.bitSize() / Byte.SIZE;
        return Objects.checkIndex(index, memory.byteSize() / byteSize) * byteSize;
    }

    /** Bits below the half byte of an INT4. */
    private static int half(long index) {
        return (int) (index & 1) * 4;
    }

    private static void setHalf(MemorySegment memory, long index, int value) {
        int other = memory.get(JAVA_BYTE, index >> 1) & 0xf0 >>> half(index);
        memory.set(JAVA_BYTE, index >> 1, (byte) (other | (value & 0xf) << half(index)));
    }

    private static long signed(ElementType type, long value) {
        int unused = Long.SIZE - type.bitSize();
        if (value << unused >> unused != value) {
            throw notOne(type, value);
        }
        return value;
    }

    private static long unsigned(ElementType type, long value) {
        if (value >>> type.bitSize() != 0) {
            throw notOne(type, value);
        }
        return value;
    }

    /** Rounded once: the bit that is shifted out stays in the last one, where it only breaks ties. */
    private static double unsignedToDouble(long value) {
        return value >= 0 ? value : 2.0 * (value >>> 1 | value & 1);
    }

    private static IllegalArgumentException notOne(ElementType type, Number value) {
        return new IllegalArgumentException("value=" + value + " is none of " + type + ": it would change");
    }

    private static UnsupportedOperationException noInteger(ElementType type) {
        boolean isComplex = type == ElementType.COMPLEX64 || type == ElementType.COMPLEX128;
        return new UnsupportedOperationException(isComplex
                ? type + " is two numbers: read and write its parts, as elements of FLOAT" + type.bitSize() / 2
                : type + " is no integer: use getDouble and setDouble");
    }
}
