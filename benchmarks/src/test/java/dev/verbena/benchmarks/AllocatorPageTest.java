package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.benchmarks.report.ShownPage;

/** The page of figures that are made up, of a machine with eight processors. */
class AllocatorPageTest {
    private static final int PROCESSORS = 8;
    private static final int ROUNDS = 3;

    private final Figures figures = new Figures();

    /** Of each that a target compares, each a little slower than the one before. */
    private void measure(Part part) {
        for (Target target : Targets.all(PROCESSORS)) {
            if (target.key().measure().part == part) {
                measure(target.key());
                if (target.against() != null) {
                    measure(target.against());
                }
            }
        }
    }

    private void measure(Key key) {
        double value = 10 + figures.rounds().size();
        for (int round = 0; round < ROUNDS && figures.rounds().getOrDefault(key, List.of()).size() < ROUNDS; round++) {
            figures.add(key, value * (1 + .05 * round));
        }
    }

    private String page(Map<Key, List<String>> explanations, Pace pace) throws Exception {
        return AllocatorPage.of(new Report(pace, PROCESSORS, figures, Targets.all(PROCESSORS), explanations,
                Map.of("netty", "4", "mimalloc", MimallocPeer.NO_VERSION)));
    }

    @Test
    void allIsDrawnAndNoLabelsOverlap(@TempDir Path folder) throws Exception {
        for (Part part : Part.values()) {
            measure(part);
        }
        for (int threads : Crowd.sizes(PROCESSORS)) {
            ThreadTable.SUBJECTS.forEach(subject -> {
                measure(new Key(Measure.THREADS, new Crowd(Replacement.SMALL, threads).label(), subject));
                measure(new Key(Measure.THREADS, new Crowd(Replacement.LARGE, threads).label(), subject));
            });
        }
        String page = page(Map.of(), Pace.thorough(ROUNDS));
        for (Key key : figures.rounds().keySet()) {
            assertTrue(page
                    .contains("<th scope=\"row\">" + key.measure().title + "</th><td>" + key.workload() + "</td><td>"
                            + key.subject() + "</td>"),
                    key::toString);
        }
        assertTrue(page.contains("mimalloc is not measured"), page);
        assertTrue(page.contains("<td>not here</td>"), "sixteen threads need as many processors");
        assertEquals(2 * ThreadTable.SUBJECTS.size(), ShownPage.open(page, folder).lines());
    }

    @Test
    void whatWasNotMeasuredHasNoPlot() throws Exception {
        measure(Part.REFUSALS);
        Key missed = new Key(Measure.REFUSAL, Companion.FULL.label(), Subject.VERBENA_HOLES.label);
        String page = page(Map.of(missed, List.of("a <profile>")), Pace.quick());
        ShownPage.assertNothingIsFetched(page);
        assertFalse(page.contains("Time of a pair"), page);
        assertFalse(page.contains("Million pairs"), page);
        assertTrue(page.contains("a &lt;profile&gt;"), page);
        assertTrue(page.contains("A quick run"), page);
    }

    /** A ratio is of its round's, and its median is the one that is judged. */
    @Test
    void aTargetSaysHowFarItsRoundsLieApart() {
        Key own = new Key(Measure.PAIR, Targets.RANDOM, Targets.ADDRESS);
        Key other = new Key(Measure.PAIR, Targets.RANDOM, Targets.MIMALLOC_C);
        Target target = new Target(own, other, 1);
        assertTrue(Double.isNaN(target.spread(figures).median()));
        List.of(8., 12., 11.).forEach(value -> figures.add(own, value));
        List.of(10., 10., 10.).forEach(value -> figures.add(other, value));
        assertEquals(.8, target.spread(figures).low());
        assertEquals(target.value(figures), target.spread(figures).median());
        assertEquals(1.2, target.spread(figures).high());
    }
}
