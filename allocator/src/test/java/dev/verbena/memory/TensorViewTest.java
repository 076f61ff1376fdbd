package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A view's life, and its memory. What is where, {@link TensorLayoutProperties} shows. */
class TensorViewTest {
    private static final long GIB = 1L << 30;

    private final OffHeapSlabSource source = new OffHeapSlabSource();
    private final TensorArena arena = TensorArena.create(source, 0, 1 << 20);

    @AfterEach
    void close() {
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
        assertEquals(0, source.heldByteSize());
    }

    @Test
    void aViewKeepsTheMemoryOfAClosedTensor() {
        Tensor tensor = matrix();
        TensorView view = TensorView.of(tensor, tensor.layout().selected(1, 2));
        assertEquals(1, tensor.pins());
        tensor.close();
        try (Tensor next = arena.allocate(ElementType.FLOAT32, Shape.of(4, 6))) {
            assertNotEquals(tensor.slabOffset(), next.slabOffset());
            next.memory().fill((byte) 0);
            assertEquals(14, view.getDouble(2));
        }
        TensorLease transfer = new TensorLease();
        view.pin(transfer);
        view.close();
        assertEquals(1, arena.statistics().liveCount(), "the transfer goes on");
        transfer.close();
        assertEquals(0, arena.statistics().liveCount());
    }

    @Test
    void afterItsEndNothingIsLeft() {
        Tensor tensor = matrix();
        TensorView view = TensorView.of(tensor, tensor.layout());
        view.close();
        assertThrows(IllegalStateException.class, view::memory);
        assertThrows(IllegalStateException.class, view::asByteBuffer);
        assertThrows(IllegalStateException.class, () -> view.getDouble(0, 0));
        assertThrows(IllegalStateException.class, () -> view.setDouble(1, 0, 0));
        assertThrows(IllegalStateException.class, () -> view.copyTo(tensor));
        assertThrows(IllegalStateException.class, view::slab);
        assertThrows(IllegalStateException.class, () -> view.pin(new TensorLease()));
        assertThrows(IllegalStateException.class, view::close);
        assertEquals(0, tensor.pins());
        tensor.close();
        assertThrows(IllegalStateException.class, () -> TensorView.of(tensor, tensor.layout()));
    }

    @Test
    void aContiguousViewIsAPieceOfTheTensor() {
        try (Tensor tensor = matrix(); TensorView rows = TensorView.of(tensor, tensor.layout().narrowed(0, 1, 2))) {
            assertTrue(rows.isContiguous());
            assertEquals(tensor.address() + 24, rows.memory().address());
            assertEquals(48, rows.memory().byteSize());
            assertEquals(48, rows.byteSize());
            assertEquals(17, rows.asByteBuffer().getFloat(44));
            rows.memory().setAtIndex(ValueLayout.JAVA_FLOAT, 0, 42);
            assertEquals(42, tensor.memory().getAtIndex(ValueLayout.JAVA_FLOAT, 6));
            assertEquals(Shape.of(2, 6), rows.shape());
            assertEquals(ElementType.FLOAT32, rows.type());
            assertEquals(tensor.slabOffset(), rows.slabOffset());
        }
    }

    @Test
    void oneThatIsNotContiguousSaysSo() {
        try (Tensor tensor = matrix();
                TensorView columns = TensorView.of(tensor, tensor.layout().transposed(0, 1).narrowed(0, 1, 2));
                Tensor dense = arena.allocate(ElementType.FLOAT32, Shape.of(2, 4))) {
            assertFalse(columns.isContiguous());
            String message = assertThrows(IllegalStateException.class, columns::memory).getMessage();
            assertTrue(message.contains("runs=8 of byteSize=4") && message.contains("copyTo"), message);
            assertThrows(IllegalStateException.class, columns::asByteBuffer);
            columns.copyTo(dense);
            for (int column = 0; column < 2; column++) {
                for (int row = 0; row < 4; row++) {
                    assertEquals(6 * row + column + 1, Elements.getDouble(dense.memory(), dense.type(),
                            4 * column + row));
                }
            }
            assertThrows(IllegalArgumentException.class, () -> columns.copyTo(tensor));
        }
    }

    @Test
    void repeatedElementsAreNotWritten() {
        try (Tensor tensor = matrix();
                TensorView view = TensorView.of(tensor, tensor.layout().selected(0, 0).expanded(Shape.of(3, 6)))) {
            assertEquals(5, view.getDouble(2, 5));
            String message = assertThrows(IllegalStateException.class, () -> view.setDouble(1, 2, 5)).getMessage();
            assertTrue(message.contains("is for reading"), message);
            assertThrows(IllegalStateException.class, () -> view.setLong(1, 2, 5));
            assertEquals(5, view.getDouble(2, 5));
        }
    }

    @Test
    void beyondTheTensorIsRefused() {
        try (Tensor tensor = matrix()) {
            TensorLayout further = TensorLayout.of(ElementType.FLOAT32, Shape.of(4), new long[]{8}, 0);
            String message = assertThrows(IllegalArgumentException.class, () -> TensorView.of(tensor, further))
                    .getMessage();
            assertTrue(message.contains("needs byteSize=100") && message.contains("has byteSize=96"), message);
            assertEquals(0, tensor.pins());
            TensorView.of(tensor, TensorLayout.of(ElementType.FLOAT32, Shape.of(4), new long[]{7}, 2)).close();
            TensorView.of(tensor, TensorLayout.of(ElementType.COMPLEX128, Shape.of(6))).close();
        }
    }

    @Test
    void aBitCastNeedsTheAlignmentOfItsType() {
        Slab slab = source.acquire(4096);
        try (Tensor tensor = Tensor.over(slab, 4, ElementType.FLOAT32, Shape.of(8), () -> {})) {
            String message = assertThrows(IllegalArgumentException.class,
                    () -> TensorView.of(tensor, tensor.layout().bitCast(ElementType.FLOAT64))).getMessage();
            assertTrue(message.contains("not aligned to 8 bytes"), message);
            TensorView.of(tensor, tensor.layout().bitCast(ElementType.COMPLEX64)).close();
        }
        source.release(slab);
    }

    @Test
    void bitsAreThoseOfTheOtherType() {
        try (Tensor tensor = matrix();
                TensorView bits = TensorView.of(tensor, tensor.layout().bitCast(ElementType.INT32));
                TensorView parts = TensorView.of(tensor, tensor.layout().bitCast(ElementType.COMPLEX64)
                        .narrowed(1, 1, 1).bitCast(ElementType.FLOAT32))) {
            assertEquals(Float.floatToIntBits(7), bits.getLong(1, 1));
            assertEquals(9, parts.getDouble(1, 1));
            assertThrows(UnsupportedOperationException.class, () -> parts.getLong(0, 0));
        }
    }

    @Test
    void withoutElementsThereIsMemoryOfNoBytes() {
        try (Tensor tensor = matrix(); TensorView view = TensorView.of(tensor, tensor.layout().narrowed(0, 4, 0))) {
            assertEquals(0, view.memory().byteSize());
            assertEquals(0, view.byteSize());
        }
    }

    /** The pages in between are never touched. */
    @Test
    void offsetsAreBeyondFourGiB() {
        Slab slab = source.acquire(6 * GIB);
        try (Tensor tensor = Tensor.over(slab, 0, ElementType.UINT8, Shape.of(3, 2 * GIB), () -> {});
                TensorView last = TensorView.of(tensor, tensor.layout().selected(1, 2 * GIB - 1));
                TensorView middle = TensorView.of(tensor, tensor.layout().flattened().narrowed(0, 5 * GIB, 16))) {
            last.setLong(7, 2);
            assertEquals(7, tensor.memory().get(ValueLayout.JAVA_BYTE, 6 * GIB - 1));
            middle.setLong(9, 15);
            assertEquals(9, tensor.memory().get(ValueLayout.JAVA_BYTE, 5 * GIB + 15));
            assertEquals(tensor.address() + 5 * GIB, middle.memory().address());
            try (TensorView rows = TensorView.of(tensor, tensor.layout().narrowed(0, 1, 2))) {
                String message = assertThrows(IllegalStateException.class, rows::asByteBuffer).getMessage();
                assertTrue(message.contains("byteSize=" + 4 * GIB), message);
            }
        }
        source.release(slab);
    }

    /** An iteration does not end under a view. */
    @Test
    void aViewKeepsAScope() {
        try (IterationScope scope = arena.scope()) {
            Tensor tensor = scope.allocate(ElementType.INT8, Shape.of(2, 2));
            TensorView view = TensorView.of(tensor, tensor.layout().transposed(0, 1));
            assertThrows(IllegalStateException.class, scope::reset);
            view.close();
            scope.reset();
            assertThrows(IllegalStateException.class, () -> TensorView.of(tensor, tensor.layout()));
        }
    }

    /** 0 to 23 in four rows. */
    private Tensor matrix() {
        Tensor tensor = arena.allocate(ElementType.FLOAT32, Shape.of(4, 6));
        for (int i = 0; i < 24; i++) {
            tensor.memory().setAtIndex(ValueLayout.JAVA_FLOAT, i, i);
        }
        return tensor;
    }
}
