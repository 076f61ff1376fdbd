package dev.verbena.transfer.exchange;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The threshold follows what requests and copies take. */
class EagerThresholdTest {
    @ParameterizedTest
    @CsvSource({"200, 3200, 4096", "100, 3200, 2048", "1, 3200, 512", "10000, 3200, 7368", "5, 0, 7368", "0, 0, 512"})
    void isWhereBothCostTheSame(long requestNs, long copyNs, int byteSize) {
        assertEquals(byteSize == 7368 ? EagerThreshold.MAX : byteSize,
                EagerThreshold.measured(requestNs, copyNs, false).byteSize());
    }

    @ParameterizedTest
    @CsvSource({"100, 3200, 2048", "1, 3200, 512", "10000, 3200, 4096"})
    void isNoMoreThanWhereLinesThatGoTwiceCostTheSame(long requestNs, long copyNs, int byteSize) {
        EagerThreshold threshold = EagerThreshold.measured(requestNs, copyNs, true);
        assertEquals(byteSize, threshold.byteSize());
        assertTrue(threshold.reason().endsWith("; a CPU moves it, so no more than 4096 bytes"), threshold::reason);
    }

    /** A program that has just started is slow, and one request that is interrupted says nothing. */
    @Test
    void theLeastCountsAndIsForgottenSlowly() {
        EagerThreshold threshold = EagerThreshold.measured(5_000, 3_200, false);
        assertEquals(EagerThreshold.MAX, threshold.byteSize());
        threshold.onRequest(100);
        assertEquals(2048, threshold.byteSize());
        threshold.onRequest(1_000_000);
        assertTrue(threshold.byteSize() < 2_100, threshold::reason);
        for (int i = 0; i < 1_000; i++) {
            threshold.onRequest(200);
        }
        assertEquals(4096, threshold.byteSize());
        assertEquals("measured: a request takes 200 ns, a copy of 65536 bytes 3200 ns", threshold.reason());
    }

    @Test
    void whatIsConfiguredIsNotMeasured() {
        EagerThreshold threshold = EagerThreshold.configured(0);
        assertFalse(threshold.isTimed(0));
        assertTrue(EagerThreshold.measured(1, 1, false).isTimed(0));
        assertEquals(0, threshold.byteSize());
        assertEquals("as configured", threshold.reason());
    }

    @Test
    void copyingIsTimedByTheClockItIsGiven() {
        long[] nowNs = new long[1];
        assertEquals(7, EagerThreshold.copyNs(() -> nowNs[0] += 7));
    }
}
