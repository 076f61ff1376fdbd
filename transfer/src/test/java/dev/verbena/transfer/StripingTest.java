package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

class StripingTest {
    @Test
    void refusesWhatCannotBe() {
        assertThrows(IllegalArgumentException.class, () -> Striping.over(-1));
        assertThrows(IllegalArgumentException.class, () -> Striping.over(Striping.QUEUE_PAIRS_MAX + 1));
        assertThrows(IllegalArgumentException.class, () -> Striping.none().withStripeByteSizeMin(63));
    }

    @Test
    void aTensorHasAsManyStripesAsAreWorthIt() {
        Striping striping = Striping.over(4).withStripeByteSizeMin(1_000);
        assertEquals(1, striping.stripeCount(0, 8));
        assertEquals(1, striping.stripeCount(1_999, 8));
        assertEquals(2, striping.stripeCount(2_000, 8));
        assertEquals(4, striping.stripeCount(Long.MAX_VALUE, 8));
        assertEquals(3, striping.stripeCount(Long.MAX_VALUE, 3));
        assertEquals(1, Striping.none().stripeCount(Long.MAX_VALUE, 8));
    }

    @Test
    void byDefaultThereAreAsManyAsCompletionQueues() {
        assertEquals(Striping.none(), Striping.defaults().on(1));
        assertEquals(Striping.over(2), Striping.defaults().on(2));
        assertEquals(Striping.over(Striping.QUEUE_PAIRS_MAX), Striping.defaults().on(99));
        assertEquals(Striping.over(3), Striping.over(3).on(1));
    }

    /** Without gaps, in whole lines, none of them empty. */
    @Test
    void stripesMakeUpTheTensor() {
        for (long byteSize = Striping.STRIPE_BYTE_SIZE_LEAST; byteSize < 3_000; byteSize++) {
            for (int count = 1; count <= Math.min(byteSize / Striping.STRIPE_BYTE_SIZE_LEAST, 8); count++) {
                assertEquals(0, Striping.begin(0, count, byteSize));
                assertEquals(byteSize, Striping.begin(count, count, byteSize));
                for (int i = 0; i < count; i++) {
                    assertEquals(0, Striping.begin(i, count, byteSize) % 64);
                    assertTrue(Striping.begin(i, count, byteSize) < Striping.begin(i + 1, count, byteSize),
                            "stripe " + i + " of " + count + " of " + byteSize);
                }
            }
        }
        assertEquals((5L << 30) / 8 * 7, Striping.begin(7, 8, 5L << 30));
    }
}
