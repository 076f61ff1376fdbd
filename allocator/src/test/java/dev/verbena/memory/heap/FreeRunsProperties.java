package dev.verbena.memory.heap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.Arena;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The free runs against a {@code TreeSet}. */
class FreeRunsProperties {
    private static final Comparator<Long> ORDER = Comparator.<Long>comparingLong(RunRecord::pageCount)
            .thenComparingInt(RunRecord::slab).thenComparingLong(RunRecord::address);

    private FreeRuns free = new FreeRuns();

    @Property(tries = 300)
    void isASortedSet(@ForAll @Size(max = 200) List<@IntRange(max = 399) Integer> keys) {
        free = new FreeRuns();
        TreeSet<Long> model = new TreeSet<>(ORDER);
        long[] runs = new long[400];
        for (int key : keys) {
            if (runs[key] == 0) {
                runs[key] = run(key);
                free.insert(runs[key]);
                model.add(runs[key]);
            } else {
                free.remove(runs[key]);
                model.remove(runs[key]);
                runs[key] = 0;
            }
            assertTrue(free.isConsistent());
        }
        assertEquals(model.size(), free.runCount());
        assertEquals(model.stream().mapToLong(RunRecord::pageCount).sum(), free.pageCount());
        assertEquals(model.isEmpty() ? 0 : RunRecord.pageCount(model.last()), free.longest());
        for (long pages = 1; pages <= 1_100; pages++) {
            long wanted = pages;
            assertEquals(model.stream().filter(run -> RunRecord.pageCount(run) >= wanted).findFirst().orElse(0L),
                    free.bestFit(pages));
        }
    }

    @Example
    void staysLowWhenFilledInOrder() {
        for (int i = 0; i < 10_000; i++) {
            free.insert(run(1, 0, i));
        }
        assertTrue(free.isConsistent());
        assertEquals(0, RunRecord.address(free.bestFit(1)));
        assertEquals(0, free.bestFit(2));
    }

    @Example
    void findsTheLongestThatThereMayBe() {
        long longest = run(SlabPages.PAGE_COUNT_MAX, 0, 0);
        free.insert(longest);
        free.insert(run(5, 0, 1));
        assertEquals(longest, free.bestFit(6));
        assertEquals(longest, free.bestFit(SlabPages.PAGE_COUNT_MAX));
        assertEquals(0, free.bestFit(SlabPages.PAGE_COUNT_MAX + 1));
        assertEquals(0, free.bestFit(Long.MAX_VALUE));
        assertEquals(SlabPages.PAGE_COUNT_MAX, free.longest());
    }

    @Example
    void insertingTwiceAndRemovingWhatIsNotThereAreCaught() {
        free.insert(run(3, 0, 5));
        assertThrows(IllegalStateException.class, () -> free.insert(run(3, 0, 5)));
        assertThrows(IllegalStateException.class, () -> free.remove(run(3, 0, 6)));
    }

    @Example
    void aChangedRunMakesItInconsistent() {
        long run = run(20, 0, 5);
        free.insert(run);
        free.insert(run(24, 0, 9));
        assertTrue(free.isConsistent());
        for (long pages : new long[]{25, 19}) {
            RunRecord.pageCount(run, pages);
            assertFalse(free.isConsistent());
        }
    }

    /** Of lengths in ranges of one length each, and in such of several. */
    private long run(int key) {
        return run(key % 3 == 0 ? 1 + key % 20 : 17 + key % 20 * 53, key / 20 % 2, key);
    }

    private long run(long pageCount, int slab, long startPage) {
        long run = Arena.global().allocate(RunRecord.BYTE_SIZE, RunRecord.BYTE_SIZE).address();
        RunRecord.place(run, slab, startPage * SizeClasses.PAGE_BYTE_SIZE, RunRecord.NO_HEAP,
                pageCount, 0);
        RunRecord.become(run, RunRecord.FREE);
        return run;
    }
}
