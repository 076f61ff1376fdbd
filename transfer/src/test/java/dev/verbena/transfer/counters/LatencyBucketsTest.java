package dev.verbena.transfer.counters;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

class LatencyBucketsTest {
    private static final long LONGEST = 1L << 40;

    @Test
    void aBucketsMiddleIsAnEighthAwayAtMost() {
        LongStream.concat(LongStream.range(0, 100_000), new Random(1).longs(100_000, 0, LONGEST)).forEach(ns -> {
            long middle = LatencyBuckets.middleOf(LatencyBuckets.indexOf(ns));
            assertTrue(Math.abs(middle - ns) * 8 <= ns, () -> ns + " counts as " + middle);
        });
    }

    @Test
    void whatTakesLongerIsInNoEarlierBucket() {
        LongStream.range(0, 100_000).forEach(
                ns -> assertTrue(LatencyBuckets.indexOf(ns) <= LatencyBuckets.indexOf(ns + 1), () -> "at " + ns));
    }

    @Test
    void everyBucketIsReachedAndNoneIsMissing() {
        assertEquals(0, LatencyBuckets.indexOf(Long.MIN_VALUE), "a clock that goes back");
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.indexOf(LONGEST - 1));
        assertEquals(LatencyBuckets.COUNT - 1, LatencyBuckets.indexOf(Long.MAX_VALUE));
        for (int i = 0; i < LatencyBuckets.COUNT; i++) {
            assertEquals(i, LatencyBuckets.indexOf(LatencyBuckets.middleOf(i)));
        }
    }
}
