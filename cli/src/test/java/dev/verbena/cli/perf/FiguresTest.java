package dev.verbena.cli.perf;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Random;
import java.util.stream.LongStream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Figures are computed as perftest computes them. */
class FiguresTest {
    private static final double EXACT = 1e-9;

    /** Instants whose distances are 1, 2, ..., 1002 microseconds, not in that order. */
    private static long[] instants() {
        long[] postedNs = new long[1003];
        for (int i = 0; i < 1002; i++) {
            postedNs[i + 1] = postedNs[i] + 1000L * ((i * 5 % 1002) + 1);
        }
        return postedNs;
    }

    @Test
    void latency() {
        LatencyFigures figures = LatencyFigures.of(64, instants(), 1);
        assertEquals(1003, figures.iterations());
        assertEquals(1, figures.min(), EXACT);
        assertEquals(1001, figures.max(), EXACT, "the second longest");
        assertEquals(500.5, figures.typical(), EXACT, "the median of the 1000 shortest");
        assertEquals(500.5, figures.average(), EXACT);
        assertEquals(Math.sqrt((1000.0 * 1000 - 1) / 12), figures.deviation(), EXACT);
        assertEquals(991, figures.percentile99(), EXACT);
        assertEquals(1000, figures.percentile999(), EXACT);
    }

    @Test
    void halfARoundTripWherePerftestHalves() {
        assertEquals(LatencyFigures.of(64, instants(), 1).typical() / 2,
                LatencyFigures.of(64, instants(), 2).typical(), EXACT);
    }

    @Test
    void theFewestSamples() {
        LatencyFigures figures = LatencyFigures.of(2, new long[]{0, 1000, 3000, 6000, 10_000}, 1);
        assertEquals(1, figures.min(), EXACT);
        assertEquals(1.5, figures.typical(), EXACT);
        assertEquals(3, figures.max(), EXACT);
    }

    @Test
    void bandwidthUnits() {
        BandwidthFigures figures = BandwidthFigures.of(1 << 20, 100, 1_000_000_000, 5_000_000);
        assertEquals(100.0, figures.toMap(false).get("BW_average"));
        assertEquals(200.0, figures.toMap(false).get("BW_peak"));
        assertEquals(100 * (1 << 20) * 8 / 1e9, (double) figures.toMap(true).get("BW_average"), EXACT);
        assertEquals(100 / 1e6, figures.toMap(true).get("MsgRate"));
    }

    @ParameterizedTest
    @CsvSource({"1, 1", "1, 10", "4, 4", "8, 2", "1, 7"})
    void thePeakIsTheBestOfAllStretches(int listSize, int signalEvery) {
        for (long seed = 1; seed <= 50; seed++) {
            Random random = new Random(seed);
            int count = 8 * (1 + random.nextInt(30));
            long[] postedNs = random(random, count, 1000);
            long[] completedNs = LongStream.of(postedNs).map(ns -> ns + 3000 + random.nextInt(2000)).sorted()
                    .toArray();
            double average = (double) (completedNs[count - 1] - postedNs[0]) / count;
            double best = average;
            for (int j = 0; j < count; j++) {
                if ((j + 1) % signalEvery != 0 && j + 1 != count) {
                    completedNs[j] = 0;
                    continue;
                }
                for (int i = 0; i <= j; i += listSize) {
                    best = Math.min(best, (double) (completedNs[j] - postedNs[i]) / (j - i + 1));
                }
            }
            assertEquals(best, BestStretch.nsPerMessage(postedNs, completedNs, listSize, average), EXACT,
                    "seed=" + seed + " count=" + count);
        }
    }

    private static long[] random(Random random, int count, int gapNs) {
        long[] ns = new long[count];
        ns[0] = 1_000_000;
        for (int i = 1; i < count; i++) {
            ns[i] = ns[i - 1] + 1 + random.nextInt(gapNs);
        }
        return ns;
    }
}
