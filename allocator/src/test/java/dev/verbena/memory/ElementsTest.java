package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.EnumSet;
import java.util.Set;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class ElementsTest {
    private static final Set<ElementType> COMPLEX = EnumSet.of(ElementType.COMPLEX64, ElementType.COMPLEX128);
    private static final Set<ElementType> FLOATS = EnumSet.of(ElementType.FLOAT64, ElementType.FLOAT32,
            ElementType.FLOAT16, ElementType.BFLOAT16, ElementType.FLOAT8E4M3FN, ElementType.FLOAT8E5M2);

    private final Arena arena = Arena.ofConfined();
    private final MemorySegment memory = arena.allocate(64, 64);

    @AfterEach
    void close() {
        arena.close();
    }

    @ParameterizedTest
    @CsvSource({"INT64, -9223372036854775808, 9223372036854775807", "INT32, -2147483648, 2147483647",
            "INT16, -32768, 32767", "INT8, -128, 127", "INT4, -8, 7", "UINT32, 0, 4294967295", "UINT16, 0, 65535",
            "UINT8, 0, 255", "BOOL, 0, 1"})
    void integersHaveTheirRangeAndNoMore(ElementType type, long min, long max) {
        for (long value : new long[]{min, max, 0, 1}) {
            Elements.setLong(memory, type, 3, value);
            assertEquals(value, Elements.getLong(memory, type, 3));
        }
        if (max < Long.MAX_VALUE) {
            for (long value : new long[]{min - 1, max + 1, Long.MIN_VALUE, Long.MAX_VALUE}) {
                String message = assertThrows(IllegalArgumentException.class,
                        () -> Elements.setLong(memory, type, 3, value)).getMessage();
                assertTrue(message.contains("value=" + value + " is none of " + type), message);
            }
        }
        assertEquals(1, Elements.getLong(memory, type, 3), "as before");
    }

    @Test
    void unsignedLongsAreTheirBits() {
        Elements.setLong(memory, ElementType.UINT64, 1, -1);
        assertEquals(-1, Elements.getLong(memory, ElementType.UINT64, 1));
        assertEquals(0x1p64, Elements.getDouble(memory, ElementType.UINT64, 1));
        Elements.setLong(memory, ElementType.UINT64, 1, Long.MIN_VALUE);
        assertEquals(0x1p63, Elements.getDouble(memory, ElementType.UINT64, 1));
        // The last bit is shifted out and breaks the tie.
        Elements.setLong(memory, ElementType.UINT64, 1, 0x8000000000000401L);
        assertEquals(Math.nextUp(0x1p63), Elements.getDouble(memory, ElementType.UINT64, 1));
    }

    @ParameterizedTest
    @EnumSource
    void numbersComeBack(ElementType type) {
        if (COMPLEX.contains(type)) {
            return;
        }
        for (double value : type == ElementType.BOOL ? new double[]{0, 1} : new double[]{0, 1, 7}) {
            Elements.setDouble(memory, type, 2, value);
            assertEquals(value, Elements.getDouble(memory, type, 2));
        }
        if (FLOATS.contains(type)) {
            for (double value : new double[]{-0.0, 1.5, -0.25, Double.NaN, 448}) {
                Elements.setDouble(memory, type, 2, value);
                assertEquals(value, Elements.getDouble(memory, type, 2));
            }
        }
    }

    @ParameterizedTest
    @EnumSource
    void neighboursStay(ElementType type) {
        if (COMPLEX.contains(type)) {
            return;
        }
        int count = 512 / type.bitSize();
        for (int index = 0; index < count; index++) {
            memory.fill((byte) 0);
            Elements.setDouble(memory, type, index, 1);
            for (int other = 0; other < count; other++) {
                assertEquals(other == index ? 1 : 0, Elements.getDouble(memory, type, other));
            }
        }
    }

    /** The first in the lower half, as ONNX packs them. */
    @Test
    void twoHalfBytesAreOneByte() {
        Elements.setLong(memory, ElementType.INT4, 6, 5);
        Elements.setLong(memory, ElementType.INT4, 7, -2);
        assertEquals((byte) 0xe5, memory.get(ValueLayout.JAVA_BYTE, 3));
    }

    @ParameterizedTest
    @EnumSource(names = {"INT64", "UINT64", "INT32", "UINT32", "INT16", "UINT16", "INT8", "UINT8", "INT4", "BOOL"})
    void whatIsNoIntegerOfTheTypeIsNotWritten(ElementType type) {
        memory.fill((byte) 0);
        for (double value : new double[]{0.5, Double.NaN, Double.POSITIVE_INFINITY, 0x1p63, 0x1p64, -0x1p64}) {
            assertThrows(IllegalArgumentException.class, () -> Elements.setDouble(memory, type, 0, value));
        }
        assertThrows(IllegalArgumentException.class,
                () -> Elements.setDouble(memory, type, 0, type.name().startsWith("U") ? -1 : -0x1p70));
        assertEquals(0, Elements.getLong(memory, type, 0));
    }

    @Test
    void anyOtherByteIsTrue() {
        memory.set(ValueLayout.JAVA_BYTE, 0, (byte) 0x80);
        assertEquals(1, Elements.getLong(memory, ElementType.BOOL, 0));
    }

    @Test
    void smallFloatsDoNotSaturate() {
        Elements.setDouble(memory, ElementType.FLOAT8E4M3FN, 0, 1e6);
        assertEquals(Double.NaN, Elements.getDouble(memory, ElementType.FLOAT8E4M3FN, 0));
        Elements.setDouble(memory, ElementType.FLOAT8E5M2, 0, -1e6);
        assertEquals(Double.NEGATIVE_INFINITY, Elements.getDouble(memory, ElementType.FLOAT8E5M2, 0));
    }

    @Test
    void otherTypesAreRefusedWithWhatToDo() {
        for (ElementType type : COMPLEX) {
            for (double value : new double[]{1, 0.5}) {
                String message = assertThrows(UnsupportedOperationException.class,
                        () -> Elements.setDouble(memory, type, 0, value)).getMessage();
                assertTrue(message.contains("elements of FLOAT" + type.bitSize() / 2), message);
            }
            assertThrows(UnsupportedOperationException.class, () -> Elements.getDouble(memory, type, 0));
            assertThrows(UnsupportedOperationException.class, () -> Elements.getLong(memory, type, 0));
        }
        for (ElementType type : FLOATS) {
            String message = assertThrows(UnsupportedOperationException.class,
                    () -> Elements.setLong(memory, type, 0, 1)).getMessage();
            assertTrue(message.contains("getDouble"), message);
            assertThrows(UnsupportedOperationException.class, () -> Elements.getLong(memory, type, 0));
        }
    }

    @ParameterizedTest
    @EnumSource
    void outsideOfTheMemoryIsRefused(ElementType type) {
        if (COMPLEX.contains(type)) {
            return;
        }
        for (long index : new long[]{-1, 512 / type.bitSize(), 1L << 61, 1L << 62, Long.MAX_VALUE, Long.MIN_VALUE}) {
            assertThrows(IndexOutOfBoundsException.class, () -> Elements.getDouble(memory, type, index));
            assertThrows(IndexOutOfBoundsException.class, () -> Elements.setDouble(memory, type, index, 1));
        }
    }
}
