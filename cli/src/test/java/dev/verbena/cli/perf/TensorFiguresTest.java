package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;

import java.util.List;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;

/** Of several rounds the middle one counts, of time and of bandwidth each. */
class TensorFiguresTest {
    private static final int COUNT = 10;

    private static TensorFigures round(long roundTripNs, double bytesPerSecond) {
        long[] instantsNs = LongStream.rangeClosed(0, COUNT).map(i -> i * roundTripNs).toArray();
        RoundTrips roundTrips = new RoundTrips(LatencyFigures.of(64, instantsNs, 2), 1);
        return new TensorFigures(TensorProtocol.DYNAMIC, null, 64, roundTrips, roundTrips.oneWay(), 10, bytesPerSecond,
                1, 1, 1, 0, 64, 5);
    }

    @Test
    void mediansOfTimeAndBandwidthAreOfDifferentRounds() {
        TensorFigures first = round(1000, 20);
        TensorFigures median = TensorFigures.median(List.of(round(9000, 50), round(3000, 10), round(1000, 30)), first);
        assertEquals(3, median.timeToFirst(), 1e-9);
        assertEquals(1.5, median.bandwidthToFirst(), 1e-9);
        assertEquals(15, median.jitMs());
        assertSame(first, median.first());
    }
}
