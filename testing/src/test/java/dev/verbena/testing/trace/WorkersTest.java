package dev.verbena.testing.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;

/** Workers that do the same at the same time: each all of it, in its order. */
class WorkersTest {
    private static final int COUNT = 8;
    private static final Trace ONE = ShippedTrace.FCN_5.read();

    @Test
    void eachDoesAllOfItInItsOrder() {
        Trace all = ONE.byWorkers(COUNT, 1);
        assertEquals(COUNT, all.threadCount());
        assertEquals(COUNT * ONE.allocationCount(), all.allocationCount());
        assertEquals(0, all.iterationCount());
        List<String> expected = steps(ONE, 0);
        for (int worker = 0; worker < COUNT; worker++) {
            assertEquals(expected, steps(all, worker));
        }
        assertTrue(all.livePeakByteSize() > ONE.livePeakByteSize());
        assertTrue(all.livePeakByteSize() <= COUNT * ONE.livePeakByteSize());
    }

    /** Sizes of what a thread allocates, and which of its own it frees. */
    private static List<String> steps(Trace trace, int thread) {
        List<Integer> own = new ArrayList<>();
        List<String> steps = new ArrayList<>();
        for (TraceEvent event : trace.events()) {
            if (event instanceof TraceEvent.Allocate(int id, long byteSize, int by) && by == thread) {
                own.add(id);
                steps.add("a " + byteSize);
            } else if (event instanceof TraceEvent.Free(int id, int by) && by == thread) {
                steps.add("f " + own.indexOf(id));
            }
        }
        return steps;
    }

    /** Many change turns, none of them is longer than the longest of one worker, but where only one is left. */
    @Test
    void theyTakeTurnsByChanceAndTheSeedDecides() {
        Trace all = ONE.byWorkers(COUNT, 1);
        int turns = 0;
        for (int i = 1; i < all.events().size(); i++) {
            turns += Trace.threadOf(all.events().get(i)) == Trace.threadOf(all.events().get(i - 1)) ? 0 : 1;
        }
        assertTrue(turns > all.events().size() / 20, "turns=" + turns);
        assertEquals(all, ONE.byWorkers(COUNT, 1));
        assertNotEquals(all, ONE.byWorkers(COUNT, 2));
    }

    /** Who frees what another one allocated still does. */
    @Test
    void threadsOfAWorkerAreWorkersToo() {
        Trace all = ShippedTrace.PRODUCER_CONSUMER.read().byWorkers(COUNT, 1);
        assertEquals(COUNT, all.threadCount());
        int[] allocatedBy = new int[all.allocationCount()];
        int elsewhere = 0;
        for (TraceEvent event : all.events()) {
            switch (event) {
                case TraceEvent.Allocate(int id, long _, int thread) -> allocatedBy[id] = thread;
                case TraceEvent.Free(int id, int thread) -> {
                    assertTrue(thread == allocatedBy[id] || thread == (allocatedBy[id] + 1) % COUNT);
                    elsewhere += thread == allocatedBy[id] ? 0 : 1;
                }
                case TraceEvent.Mark _ -> throw new AssertionError("marks are of one worker");
            }
        }
        assertTrue(elsewhere > 1000, "elsewhere=" + elsewhere);
    }

    @Test
    void oneIsTheTraceWithoutMarks() {
        List<TraceEvent> unmarked = ONE.events().stream().filter(event -> !(event instanceof TraceEvent.Mark)).toList();
        assertEquals(unmarked, ONE.byWorkers(1, 1).events());
        assertThrows(IllegalArgumentException.class, () -> ONE.byWorkers(0, 1));
        assertThrows(IllegalArgumentException.class, () -> ONE.byWorkers(257, 1));
    }
}
