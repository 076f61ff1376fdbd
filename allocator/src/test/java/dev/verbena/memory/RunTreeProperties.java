package dev.verbena.memory;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.lang.foreign.MemorySegment;
import java.util.Comparator;
import java.util.List;
import java.util.TreeSet;

import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;
import net.jqwik.api.constraints.Size;

/** The tree of free runs against a {@code TreeSet}. */
class RunTreeProperties {
    private static final Comparator<PageRun> ORDER = Comparator.<PageRun>comparingLong(run -> run.pageCount)
            .thenComparingInt(run -> run.slab.index).thenComparingLong(run -> run.startPage);

    private static final Slab SOMEWHERE = () -> MemorySegment.ofAddress(1 << 20);

    private final SlabPages[] slabs = {new SlabPages(SOMEWHERE, 0, 1, new PageRun()),
            new SlabPages(SOMEWHERE, 1, 1, new PageRun())};

    @Property(tries = 300)
    void isASortedSet(@ForAll @Size(max = 200) List<@IntRange(max = 399) Integer> keys) {
        RunTree tree = new RunTree();
        TreeSet<PageRun> model = new TreeSet<>(ORDER);
        PageRun[] runs = new PageRun[400];
        for (int key : keys) {
            if (runs[key] == null) {
                runs[key] = run(key);
                tree.insert(runs[key]);
                model.add(runs[key]);
            } else {
                tree.remove(runs[key]);
                model.remove(runs[key]);
                runs[key] = null;
            }
            assertTrue(tree.isConsistent());
        }
        assertEquals(model.size(), tree.runCount());
        assertEquals(model.stream().mapToLong(run -> run.pageCount).sum(), tree.pageCount());
        assertEquals(model.isEmpty() ? 0 : model.last().pageCount, tree.longest());
        for (long pages = 1; pages <= 22; pages++) {
            long wanted = pages;
            assertSame(model.stream().filter(run -> run.pageCount >= wanted).findFirst().orElse(null),
                    tree.bestFit(pages));
        }
    }

    @Example
    void staysLowWhenFilledInOrder() {
        RunTree tree = new RunTree();
        for (int start = 0; start < 10_000; start++) {
            tree.insert(run(1, 0, start));
        }
        assertTrue(tree.isConsistent());
        PageRun lowest = tree.bestFit(1);
        assertEquals(0, lowest.startPage);
        assertNull(tree.bestFit(2));
    }

    @Example
    void insertingTwiceAndRemovingWhatIsNotThereAreCaught() {
        RunTree tree = new RunTree();
        tree.insert(run(3, 0, 5));
        assertThrows(IllegalStateException.class, () -> tree.insert(run(3, 0, 5)));
        assertThrows(IllegalStateException.class, () -> tree.remove(run(3, 0, 6)));
    }

    @Example
    void aChangedRunMakesItInconsistent() {
        RunTree tree = new RunTree();
        PageRun run = run(3, 0, 5);
        tree.insert(run);
        tree.insert(run(4, 0, 9));
        assertTrue(tree.isConsistent());
        run.pageCount = 5;
        assertFalse(tree.isConsistent());
    }

    private PageRun run(int key) {
        return run(1 + key % 20, key / 20 % 2, key);
    }

    private PageRun run(long pageCount, int slab, long startPage) {
        PageRun run = new PageRun();
        run.slab = slabs[slab];
        run.startPage = startPage;
        run.pageCount = pageCount;
        run.become(PageRun.Use.FREE);
        return run;
    }
}
