package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.memory.OffHeapSlabSource;
import dev.verbena.memory.OutOfArenaMemoryException;
import dev.verbena.memory.TensorArena;
import dev.verbena.testing.trace.ArenaReplayTarget;
import dev.verbena.testing.trace.Trace;
import dev.verbena.testing.trace.TraceEvent;
import dev.verbena.testing.trace.TraceReplay;

/** The region found suffices, a smaller one does not. */
class RegionsTest {
    private static final long MIB = 1 << 20;

    @Test
    void whatFitsExactlyNeedsNoMore() {
        Trace trace = new Trace(List.of(new TraceEvent.Allocate(0, MIB, 0), new TraceEvent.Free(0, 0)));
        Regions regions = new Regions(trace);
        assertEquals(MIB, regions.smallestByteSize());
        assertEquals("", regions.refusal());
    }

    /** Sixteen pieces of 1 MiB, every other one freed: no hole is large enough for what comes then. */
    @Test
    void holesAreSeen() {
        List<TraceEvent> events = new ArrayList<>();
        for (int id = 0; id < 16; id++) {
            events.add(new TraceEvent.Allocate(id, MIB, 0));
        }
        for (int id = 0; id < 16; id += 2) {
            events.add(new TraceEvent.Free(id, 0));
        }
        events.add(new TraceEvent.Allocate(16, 8 * MIB, 0));
        for (int id = 1; id <= 15; id += 2) {
            events.add(new TraceEvent.Free(id, 0));
        }
        events.add(new TraceEvent.Free(16, 0));
        Trace trace = new Trace(events);
        Regions regions = new Regions(trace);
        long byteSize = regions.smallestByteSize();
        assertEquals(16 * MIB, trace.livePeakByteSize());
        assertTrue(byteSize > 20 * MIB && byteSize <= 24 * MIB, () -> "byteSize=" + byteSize);
        assertTrue(regions.refusal().contains("largestFreeRunByteSize="), regions::refusal);
        replay(trace, byteSize);
        assertThrows(OutOfArenaMemoryException.class, () -> replay(trace, byteSize - byteSize / 1000));
    }

    private static void replay(Trace trace, long byteSize) {
        try (TensorArena arena = TensorArena.create(new OffHeapSlabSource(), byteSize, byteSize)) {
            TraceReplay.inOrder(trace, new ArenaReplayTarget(arena, trace.allocationCount()));
        }
    }
}
