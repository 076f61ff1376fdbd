package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

import dev.verbena.memory.Slab;

/** Runs of pages against a {@code TreeMap} from start to length: each where it should be, always coalesced. */
class PageRunsProperties {
    private static final int PAGES = 200;
    /** A twelfth and a sixth of them. */
    private static final int BIG = 17;
    private static final int LONG = 34;
    private static final Slab SOMEWHERE = () -> MemorySegment.ofAddress(1 << 20);

    /** Positive: take so many pages; negative: give back one of those taken. */
    @Property(tries = 400)
    void bestFitAndImmediateCoalescing(@ForAll @Size(max = 150) List<@IntRange(min = -100, max = 40) Integer> steps) {
        PageRuns runs = new PageRuns();
        SlabPages slab = new SlabPages(SOMEWHERE, 0, PAGES, false);
        runs.add(slab);
        TreeMap<Long, Long> taken = new TreeMap<>();
        List<Long> live = new ArrayList<>();
        for (int step : steps) {
            if (step > 0) {
                Long expected = placeOf(taken, step);
                long run = runs.take(step, RunRecord.LARGE);
                assertEquals(expected, run == 0 ? null : Long.valueOf(slab.startPage(run)));
                if (run != 0) {
                    assertEquals(step, RunRecord.pageCount(run));
                    taken.put(slab.startPage(run), RunRecord.pageCount(run));
                    slab.enter(run);
                    live.add(run);
                }
            } else if (!live.isEmpty()) {
                long run = live.remove(-step % live.size());
                taken.remove(slab.startPage(run));
                slab.erase(run);
                runs.give(run);
            }
            assertTrue(slab.isTiled());
            assertTrue(runs.free.isConsistent());
            assertEquals(PAGES, runs.free.pageCount() + taken.values().stream().mapToLong(n -> n).sum());
        }
        live.forEach(runs::give);
        assertEquals(1, runs.free.runCount());
        assertEquals(PAGES, runs.free.longest());
        slab.forget();
    }

    @Example
    void givingTwiceIsCaught() {
        PageRuns runs = new PageRuns();
        SlabPages slab = new SlabPages(SOMEWHERE, 0, PAGES, false);
        runs.add(slab);
        long apart = runs.take(BIG, RunRecord.LARGE);
        long between = runs.take(BIG, RunRecord.LARGE);
        long merged = runs.take(BIG, RunRecord.LARGE);
        for (long run : new long[]{apart, merged}) {
            runs.give(run);
            assertThrows(IllegalStateException.class, () -> runs.give(run));
        }
        assertEquals(RunRecord.LARGE, RunRecord.kind(between));
        slab.forget();
    }

    @Example
    void theLongestRunIsSparedUnlessItFits() {
        PageRuns runs = new PageRuns();
        SlabPages slab = new SlabPages(SOMEWHERE, 0, PAGES, false);
        runs.add(slab);
        long hole = runs.take(20, RunRecord.LARGE);
        runs.take(17, RunRecord.LARGE);
        long rest = PAGES - 37;
        assertEquals(0, runs.takeSparingLongest(20, RunRecord.LARGE));
        runs.give(hole);
        assertEquals(hole, runs.takeSparingLongest(16, RunRecord.LARGE));
        assertEquals(0, runs.takeSparingLongest(rest - 1, RunRecord.LARGE));
        assertEquals(0, runs.takeSparingLongest(rest + 1, RunRecord.LARGE));
        assertEquals(RunRecord.at(slab.first, 37), runs.takeSparingLongest(rest, RunRecord.LARGE));
        assertEquals(4, runs.free.pageCount());
        slab.forget();
    }

    /** The begin of the shortest gap, the lowest of them; of what is small, and would be cut off a long one, the end of the highest long one. */
    private static Long placeOf(TreeMap<Long, Long> taken, long pages) {
        Long best = null;
        Long highest = null;
        long bestLength = Long.MAX_VALUE;
        long start = 0;
        TreeMap<Long, Long> bounded = new TreeMap<>(taken);
        bounded.put((long) PAGES, 0L);
        for (Map.Entry<Long, Long> run : bounded.entrySet()) {
            long length = run.getKey() - start;
            if (length >= pages && length < bestLength) {
                best = start;
                bestLength = length;
            }
            highest = length >= LONG ? Long.valueOf(run.getKey() - pages) : highest;
            start = run.getKey() + run.getValue();
        }
        return best != null && pages < BIG && bestLength >= LONG ? highest : best;
    }
}
