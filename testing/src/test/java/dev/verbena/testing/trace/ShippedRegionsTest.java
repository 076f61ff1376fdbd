package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import dev.verbena.memory.TensorArena;

/** What rounding, holes and what threads have idle add to the peak of live bytes: a region that much larger is enough for every trace. */
class ShippedRegionsTest {
    private static final double REGION_MAX = 1.15;
    private static final int WORKERS = 8;
    private static final long[] SEEDS = {2019, 1, 2};

    /** A worker's small blocks, most of which another one frees, lie scattered in its runs; so they did before there were rooms. */
    private static final double PRODUCER_CONSUMER_BY_WORKERS_MAX = 1.20;

    @ParameterizedTest
    @EnumSource
    void isEnoughForOneProgram(ShippedTrace which) {
        replay(which.read(), REGION_MAX);
    }

    @ParameterizedTest
    @EnumSource
    void isEnoughForEightWorkersAtOnce(ShippedTrace which) {
        boolean isException = which == ShippedTrace.PRODUCER_CONSUMER;
        for (long seed : SEEDS) {
            replay(which.read().byWorkers(WORKERS, seed), isException ? PRODUCER_CONSUMER_BY_WORKERS_MAX : REGION_MAX);
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
