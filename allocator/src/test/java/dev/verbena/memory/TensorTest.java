package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TensorTest {
    private static final long GIB = 1L << 30;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final Slab slab = source.acquire(3 * GIB);

    @AfterEach
    void release() {
        source.release(slab);
    }

    @Test
    void theViewsAreTheSameBytes() {
        Tensor tensor = over(128, Shape.of(4));
        ByteBuffer buffer = tensor.asByteBuffer();
        assertTrue(buffer.isDirect());
        assertSame(ByteOrder.nativeOrder(), buffer.order());
        buffer.putFloat(8, 1.5f);
        assertEquals(1.5f, tensor.memory().getAtIndex(java.lang.foreign.ValueLayout.JAVA_FLOAT, 2));
        assertEquals(slab.memory().address() + 128, tensor.address());
        assertEquals(128, tensor.slabOffset());
        assertEquals(16, tensor.byteSize());
        assertSame(slab, tensor.slab());
    }

    @Test
    void moreThanAByteBufferHoldsIsRefused() {
        Tensor tensor = over(0, Shape.of(GIB / 2));
        assertEquals(2 * GIB, tensor.byteSize());
        String message = assertThrows(IllegalStateException.class, tensor::asByteBuffer).getMessage();
        assertTrue(message.contains("byteSize=" + 2 * GIB), message);
    }

    @ParameterizedTest
    @CsvSource({"-4, 1", "2, 1", "3221225472, 1", "3221225468, 2", "9223372036854775804, 1", "0, 805306369"})
    void outsideOfTheSlabOrMisalignedIsRefused(long offset, long elements) {
        String message = assertThrows(IllegalArgumentException.class, () -> over(offset, Shape.of(elements)))
                .getMessage();
        assertTrue(message.contains("offset=" + offset), message);
    }

    @Test
    void theLastBytesOfTheSlabAreWithin() {
        assertEquals(4, over(3 * GIB - 4, Shape.of(1)).byteSize());
        assertEquals(0, over(3 * GIB, Shape.of(0)).byteSize());
    }

    @Test
    void reshapingKeepsTheNumberOfElements() {
        Tensor tensor = over(0, Shape.of(6));
        assertEquals(Shape.of(3, 2), tensor.reshaped(Shape.of(3, 2)).shape());
        assertThrows(IllegalArgumentException.class, () -> tensor.reshaped(Shape.of(5)));
        assertFalse(tensor.sharesStorageWith(over(0, Shape.of(6))));
    }

    @Test
    void noElementsInWhateverOrderOfDimensions() {
        assertEquals(0, Shape.of(0, 1L << 40, 1L << 40).elementCount());
        assertEquals(0, Shape.of(1L << 40, 1L << 40, 0).elementCount());
        assertThrows(IllegalArgumentException.class, () -> Shape.of(1L << 40, 1L << 40));
        assertThrows(IllegalArgumentException.class, () -> Shape.of(0, -1));
        assertThrows(IllegalArgumentException.class, () -> Shape.of(new long[17]));
        assertThrows(IllegalArgumentException.class, () -> Shape.of(Long.MAX_VALUE).byteSize(ElementType.FLOAT32));
        assertEquals(1, Shape.of().elementCount());
    }

    /** Edge: its address was the offset in an array, so that its bytes were written anywhere. */
    @Test
    void memoryOfTheJavaHeapIsRefused() {
        MemorySegment array = MemorySegment.ofArray(new byte[64]);
        String message = assertThrows(IllegalArgumentException.class,
                () -> Tensor.over(() -> array, 0, ElementType.UINT8, Shape.of(64), () -> {})).getMessage();
        assertTrue(message.contains("Java heap"), message);
    }

    private Tensor over(long offset, Shape shape) {
        return Tensor.over(slab, offset, ElementType.FLOAT32, shape, () -> {});
    }
}
