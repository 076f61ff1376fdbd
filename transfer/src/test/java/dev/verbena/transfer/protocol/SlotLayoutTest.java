package dev.verbena.transfer.protocol;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.transfer.Striping;

class SlotLayoutTest {
    @ParameterizedTest
    @ValueSource(longs = {0, 1, 7, 8, 9, 55, 56, 57, 63, 64, 65, 4096, (5L << 30) + 3})
    void everyPartHasItsPlace(long byteSize) {
        for (int depth = 1; depth <= 3; depth++) {
            SlotLayout layout = new SlotLayout(byteSize, depth);
            assertEquals(0, layout.tailOffset() % 8);
            assertTrue(layout.tailOffset() >= byteSize && layout.tailOffset() < byteSize + 8);
            assertEquals(layout.tailOffset() + 8, byteSize + layout.tailByteSize());
            assertEquals(layout.tailOffset(), layout.tailOffset(0));
            for (int stripe = 1; stripe < Striping.QUEUE_PAIRS_MAX; stripe++) {
                assertEquals(layout.tailOffset(stripe - 1) + 8, layout.tailOffset(stripe));
            }
            assertTrue(layout.stride() >= layout.tailOffset(Striping.QUEUE_PAIRS_MAX - 1) + 8);
            assertEquals(0, layout.stride() % 64);
            assertEquals(layout.slotOffset(0), layout.slotOffset(depth));
            assertEquals((depth - 1) * layout.stride(), layout.slotOffset(depth - 1));
            assertTrue(layout.acknowledgementOffset() >= layout.slotOffset(depth - 1) + layout.stride());
            assertTrue(layout.totalByteSize() >= layout.acknowledgementOffset() + 8);
        }
    }

    @Test
    void needsASlot() {
        assertThrows(IllegalArgumentException.class, () -> new SlotLayout(8, 0));
    }
}
