package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import dev.verbena.memory.TensorArena;

/** What rounding, holes and what threads have idle add to the peak of live bytes: a region that much larger is enough for every trace. */
class ShippedRegionsTest {
    private static final double REGION_MAX = 1.15;
    private static final double LANGUAGE_MAX = 1.20;
    private static final int LANGUAGE_ITERATIONS = 40;
    private static final int WORKERS = 8;
    private static final long[] SEEDS = {2019, 1, 2};

    /** A worker's small blocks, most of which another one frees, lie scattered in its runs; so they did before there were rooms. */
    private static final double PRODUCER_CONSUMER_BY_WORKERS_MAX = 1.20;
    /** What stays from an iteration to the next has another size each time, for each worker at another time (ADR 10). */
    private static final double LANGUAGE_BY_WORKERS_MAX = 1.30;

    @ParameterizedTest
    @EnumSource
    void isEnoughForOneProgram(ShippedTrace which) {
        replay(which.read(), REGION_MAX);
    }

    /** What stays from an iteration to the next has another size each time: ADR 10 has what they need. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void isEnoughForSequencesOfAnyLengths(long seed) {
        replay(LstmLanguage.of(seed, LANGUAGE_ITERATIONS), LANGUAGE_MAX);
    }

    @ParameterizedTest
    @EnumSource
    void isEnoughForEightWorkersAtOnce(ShippedTrace which) {
        double max = switch (which) {
            case PRODUCER_CONSUMER -> PRODUCER_CONSUMER_BY_WORKERS_MAX;
            case LSTM_LANGUAGE -> LANGUAGE_BY_WORKERS_MAX;
            default -> REGION_MAX;
        };
        for (long seed : SEEDS) {
            replay(which.read().byWorkers(WORKERS, seed), max);
        }
    }

    private static void replay(Trace trace, double regionMax) {
        long byteSize = (long) (regionMax * trace.livePeakByteSize());
        try (TensorArena arena = TensorArena.create(new UntouchedSlabSource(), byteSize, byteSize)) {
            TraceReplay.inOrder(trace, new ArenaReplayTarget(arena, trace.allocationCount()));
            assertTrue(arena.isConsistent());
            assertEquals(trace.allocationCount(), arena.statistics().allocationCount());
            assertEquals(0, arena.statistics().liveCount());
        }
    }
}
