package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The edges of layouts; what they are in general, {@link TensorLayoutProperties} shows. */
class TensorLayoutTest {
    private static final TensorLayout MATRIX = TensorLayout.of(ElementType.FLOAT32, Shape.of(4, 6));

    @Test
    void aColumnIsApartByTheWidth() {
        TensorLayout column = MATRIX.selected(1, 2);
        assertEquals("FLOAT32[4] strides=[6] offset=2", column.toString());
        assertEquals(6, column.stride(0));
        assertEquals(2, column.offset());
        assertEquals(16, column.byteSize());
        assertEquals((3 * 6 + 2 + 1) * 4, column.extentByteSize());
        assertEquals(14, column.elementIndex(2));
        assertFalse(column.isContiguous());
        assertEquals("runs=4 of byteSize=4", column.runs().toString());
        assertEquals(24 * 3 + 8, column.runs().byteOffset(3));
    }

    @Test
    void rowsAreOneRun() {
        TensorLayout rows = MATRIX.narrowed(0, 1, 2);
        assertTrue(rows.isContiguous());
        assertEquals(1, rows.runs().count());
        assertEquals(24, rows.runs().byteOffset(0));
        assertEquals(48, rows.runs().byteSize());
        assertEquals(Shape.of(12), rows.flattened().shape());
    }

    @Test
    void aScalarHasOneElement() {
        TensorLayout scalar = TensorLayout.of(ElementType.FLOAT32, Shape.of());
        assertEquals(0, scalar.elementIndex());
        assertTrue(scalar.isContiguous());
        assertEquals(1, scalar.runs().count());
        assertEquals(Shape.of(1), scalar.flattened().shape());
        assertEquals(scalar, scalar.permuted());
        assertEquals(ElementType.INT32, scalar.bitCast(ElementType.INT32).type());
        assertRefused("a scalar has no last dimension", () -> scalar.bitCast(ElementType.INT8));
        assertEquals(Shape.of(4), scalar.flattened().bitCast(ElementType.INT8).shape());
        assertThrows(IndexOutOfBoundsException.class, () -> scalar.narrowed(0, 0, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> scalar.transposed(0, 0));
        assertThrows(IndexOutOfBoundsException.class, () -> scalar.elementIndex(0));
    }

    @Test
    void withoutElementsNothingIsReached() {
        TensorLayout empty = TensorLayout.of(ElementType.FLOAT32, Shape.of(1L << 40, 0, 1L << 40));
        assertEquals(0, empty.extentByteSize());
        assertTrue(empty.isContiguous());
        assertFalse(empty.mayOverlap());
        assertEquals(0, empty.runs().count());
        assertThrows(IndexOutOfBoundsException.class, () -> empty.runs().byteOffset(0));
        assertThrows(IndexOutOfBoundsException.class, () -> empty.elementIndex(0, 0, 0));
        assertEquals(Shape.of(0), empty.flattened().shape());
        assertEquals(Shape.of(7, 0), empty.reshaped(Shape.of(7, 0)).shape());
        assertEquals(Shape.of(1L << 40, 0, 1L << 39), empty.bitCast(ElementType.FLOAT64).shape());
        assertEquals(0, MATRIX.narrowed(0, 4, 0).offset());
        assertEquals(Shape.of(0, 6), MATRIX.sliced(0, 4, 4, 3).shape());
    }

    @Test
    void outsideOfADimensionIsRefused() {
        for (Executable wrong : new Executable[]{() -> MATRIX.narrowed(0, 3, 2), () -> MATRIX.narrowed(0, -1, 2),
                () -> MATRIX.narrowed(0, 1, Long.MAX_VALUE), () -> MATRIX.narrowed(2, 0, 1),
                () -> MATRIX.narrowed(-1, 0, 1), () -> MATRIX.sliced(1, 3, 2, 1), () -> MATRIX.sliced(1, 0, 7, 1),
                () -> MATRIX.selected(0, 4), () -> MATRIX.selected(0, -1), () -> MATRIX.transposed(0, 2),
                () -> MATRIX.transposed(-1, 0), () -> MATRIX.elementIndex(4, 0), () -> MATRIX.elementIndex(0, -1),
                () -> MATRIX.elementIndex(0), () -> MATRIX.runs().byteOffset(1), () -> MATRIX.runs().byteOffset(-1)}) {
            assertThrows(IndexOutOfBoundsException.class, wrong);
        }
        assertRefused("order=[0, 0]", () -> MATRIX.permuted(0, 0));
        assertRefused("order=[0]", () -> MATRIX.permuted(0));
        assertRefused("step=0", () -> MATRIX.sliced(0, 0, 4, 0));
    }

    @Test
    void nothingGoesBackwards() {
        assertRefused("needs a copy", () -> MATRIX.sliced(0, 0, 4, -1));
        assertRefused("none may be negative",
                () -> TensorLayout.of(ElementType.INT8, Shape.of(2), new long[]{-1}, 1));
        assertRefused("none may be negative",
                () -> TensorLayout.of(ElementType.INT8, Shape.of(2), new long[]{1}, -1));
        assertRefused("one for each dimension",
                () -> TensorLayout.of(ElementType.INT8, Shape.of(2), new long[]{1, 1}, 0));
    }

    @Test
    void aStepMayBeAsLongAsItLikes() {
        assertEquals(Shape.of(1, 6), MATRIX.sliced(0, 1, 4, Long.MAX_VALUE).shape());
        assertEquals("FLOAT32[2, 6] strides=[18, 1] offset=0", MATRIX.sliced(0, 0, 4, 3).toString());
    }

    @Test
    void whatNoLongCountsIsRefused() {
        long[] far = {Long.MAX_VALUE / 2 + 1};
        assertRefused("beyond 2^63", () -> TensorLayout.of(ElementType.INT8, Shape.of(3), far, 0));
        assertRefused("beyond 2^63",
                () -> TensorLayout.of(ElementType.INT8, Shape.of(1), new long[]{1}, Long.MAX_VALUE));
        assertRefused("elementCount=",
                () -> TensorLayout.of(ElementType.FLOAT64, Shape.of(2), new long[]{1L << 60}, 0));
        TensorLayout whole = TensorLayout.of(ElementType.UINT8, Shape.of(Long.MAX_VALUE));
        assertEquals(Long.MAX_VALUE, whole.extentByteSize());
        assertRefused("more than 2^63", () -> whole.bitCast(ElementType.INT4));
        assertRefused("too many elements", () -> whole.expanded(Shape.of(2, Long.MAX_VALUE)));
        TensorLayout repeated = TensorLayout.of(ElementType.FLOAT64, Shape.of(1)).expanded(Shape.of(1L << 62));
        assertEquals(8, repeated.extentByteSize());
        assertRefused("too many bytes", repeated::byteSize);
    }

    @Test
    void moreElementsThanAnIntCounts() {
        long rows = 1L << 33;
        TensorLayout tall = TensorLayout.of(ElementType.FLOAT32, Shape.of(rows, 3));
        assertEquals(3 * (rows - 1) + 2, tall.elementIndex(rows - 1, 2));
        assertEquals((3 * (rows - 1) + 2) * 4, tall.selected(1, 2).runs().byteOffset(rows - 1));
        assertEquals(rows, tall.selected(1, 2).runs().count());
        assertEquals(3 * rows, tall.flattened().shape().dimension(0));
        assertEquals(tall, tall.flattened().reshaped(Shape.of(rows, 3)));
    }

    @Test
    void repeatedElementsMayOverlap() {
        TensorLayout bias = TensorLayout.of(ElementType.FLOAT32, Shape.of(6)).expanded(Shape.of(4, 6));
        assertEquals("FLOAT32[4, 6] strides=[0, 1] offset=0", bias.toString());
        assertTrue(bias.mayOverlap());
        assertEquals(4, bias.runs().count());
        assertEquals(0, bias.runs().byteOffset(3));
        assertEquals(24, bias.extentByteSize());
        assertFalse(bias.narrowed(0, 1, 1).mayOverlap());
        assertFalse(MATRIX.transposed(0, 1).mayOverlap());
        assertTrue(TensorLayout.of(ElementType.INT8, Shape.of(4, 4), new long[]{2, 1}, 0).mayOverlap());
        assertRefused("only dimensions of 1", () -> bias.expanded(Shape.of(8, 6)));
        assertRefused("only dimensions of 1", () -> bias.expanded(Shape.of(6)));
    }

    @Test
    void reshapingSaysWhatIsInItsWay() {
        TensorLayout transposed = MATRIX.transposed(0, 1);
        assertRefused("without a copy: a dimension would need two strides", transposed::flattened);
        assertEquals(Shape.of(3, 2, 4), transposed.reshaped(Shape.of(3, 2, 4)).shape());
        assertRefused("elementCount=24 and 25", () -> MATRIX.reshaped(Shape.of(25)));
    }

    @ParameterizedTest
    @CsvSource({"FLOAT32, FLOAT64, 2, 0, 8, the stride of dimension 0", "FLOAT32, FLOAT64, 6, 1, 8, or the offset",
            "FLOAT32, FLOAT64, 6, 0, 5, the last dimension", "UINT8, FLOAT32, 16, 2, 4, or the offset",
            "FLOAT64, COMPLEX128, 8, 1, 4, or the offset", "INT4, UINT8, 6, 1, 4, or the offset"})
    void aBitCastSaysWhatIsInItsWay(ElementType from, ElementType to, long stride, long offset, long length,
            String why) {
        long[] strides = {stride == 2 ? 9 : stride, 1};
        TensorLayout layout = TensorLayout.of(from, Shape.of(3, length), strides, offset);
        assertRefused("cannot take the bits for " + to, () -> layout.bitCast(to));
        assertRefused(why, () -> layout.bitCast(to));
    }

    @Test
    void aBitCastNeedsADenseLastDimension() {
        assertRefused("not dense", () -> MATRIX.transposed(0, 1).bitCast(ElementType.UINT8));
        assertEquals("COMPLEX64[4, 3] strides=[3, 1] offset=0", MATRIX.bitCast(ElementType.COMPLEX64).toString());
        assertEquals("INT4[4, 48] strides=[48, 1] offset=0", MATRIX.bitCast(ElementType.INT4).toString());
        assertEquals("UINT32[6, 4] strides=[1, 6] offset=0",
                MATRIX.transposed(0, 1).bitCast(ElementType.UINT32).toString());
    }

    @Test
    void halfBytesInTheMiddleAreNoPieceOfMemory() {
        TensorLayout halves = TensorLayout.of(ElementType.INT4, Shape.of(4, 6));
        assertEquals("runs=4 of byteSize=1", halves.narrowed(1, 2, 2).runs().toString());
        for (TensorLayout within : new TensorLayout[]{halves.narrowed(1, 1, 2), halves.narrowed(1, 0, 3),
                halves.selected(1, 0), halves.transposed(0, 1), halves.selected(0, 1).narrowed(0, 1, 4),
                TensorLayout.of(ElementType.INT4, Shape.of(4, 5)).narrowed(1, 0, 2)}) {
            String message = assertThrows(IllegalStateException.class, within::runs).getMessage();
            assertTrue(message.contains("begins or ends within a byte"), message);
        }
        assertEquals("runs=1 of byteSize=2", halves.selected(0, 1).narrowed(0, 2, 3).runs().toString());
    }

    @Test
    void layoutsAreValues() {
        assertEquals(MATRIX, MATRIX.transposed(0, 1).transposed(1, 0));
        assertEquals(MATRIX.hashCode(), MATRIX.narrowed(0, 0, 4).hashCode());
        assertEquals(MATRIX.selected(0, 0), MATRIX.narrowed(0, 0, 1).flattened());
        assertNotEquals(MATRIX, MATRIX.bitCast(ElementType.INT32));
        assertNotEquals(MATRIX.selected(0, 0), MATRIX.selected(0, 1));
        long[] strides = {6, 1};
        TensorLayout explicit = TensorLayout.of(ElementType.FLOAT32, Shape.of(4, 6), strides, 0);
        strides[0] = 7;
        assertEquals(MATRIX, explicit);
    }

    private static void assertRefused(String why, Executable action) {
        String message = assertThrows(IllegalArgumentException.class, action).getMessage();
        assertTrue(message.contains(why), message);
    }
}
