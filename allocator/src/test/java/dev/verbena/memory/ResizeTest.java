package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Growing and shrinking in place, within the block. */
class ResizeTest {
    private static final long MIB = 1024 * 1024;

    private final TensorArena arena = TensorArena.create(new OffHeapSlabSource(), MIB, 16 * MIB);

    @AfterEach
    void close() {
        assertTrue(arena.isConsistent());
        assertEquals(0, arena.statistics().liveCount());
        arena.close();
    }

    /** Neighbours on all sides keep what they have when each grows into all that is its own. */
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 65, 1025, 5000, 65_537, 100_000})
    void aTensorGrowsIntoItsBlockAndNoFurther(long byteSize) {
        long usableByteSize = TensorArena.usableByteSize(byteSize);
        List<Tensor> grown = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Tensor tensor = bytes(byteSize);
            tensor.memory().fill((byte) i);
            assertNull(arena.tryResize(tensor, Shape.of(usableByteSize + 1)));
            Tensor all = arena.tryResize(tensor, Shape.of(usableByteSize));
            assertTrue(all.sharesStorageWith(tensor));
            assertEquals(-1, all.memory().asSlice(0, byteSize).mismatch(tensor.memory()), "the first bytes stay");
            all.memory().fill((byte) i);
            grown.add(all);
        }
        for (int i = 0; i < grown.size(); i++) {
            Tensor all = grown.get(i);
            assertEquals(i, all.memory().get(ValueLayout.JAVA_BYTE, usableByteSize - 1));
            all.close();
        }
    }

    @Test
    void whatShrankMayGrowAgain() {
        Tensor tensor = bytes(1000);
        Tensor less = arena.tryResize(tensor, Shape.of(10));
        assertEquals(10, less.memory().byteSize());
        assertEquals(tensor.address(), less.address());
        assertEquals(1024, arena.tryResize(less, Shape.of(1024)).byteSize());
        less.close();
        assertThrows(IllegalStateException.class, tensor::memory);
        assertThrows(IllegalStateException.class, () -> arena.tryResize(tensor, Shape.of(1)));
    }

    @Test
    void onlyTensorsOfTheArena() {
        try (IterationScope scope = arena.scope()) {
            Tensor foreign = scope.allocate(ElementType.UINT8, Shape.of(1));
            assertThrows(IllegalArgumentException.class, () -> arena.tryResize(foreign, Shape.of(1)));
        }
    }

    private Tensor bytes(long byteSize) {
        return arena.allocate(ElementType.UINT8, Shape.of(byteSize));
    }
}
