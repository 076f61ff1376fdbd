package dev.verbena.benchmarks;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.HashSet;
import java.util.List;

import org.junit.jupiter.api.Test;

import dev.verbena.benchmarks.Figures.Key;
import dev.verbena.benchmarks.Target.Verdict;

/** What is met and what is missed. */
class TargetTest {
    private static final Key OURS = new Key(Measure.PAIR, "random", "ours");
    private static final Key THEIRS = new Key(Measure.PAIR, "random", "theirs");

    private final Figures figures = new Figures();

    @Test
    void theMiddleRoundCounts() {
        List.of(3.0, 100.0, 1.0).forEach(value -> figures.add(OURS, value));
        assertEquals(3, figures.median(OURS));
        figures.add(OURS, 5);
        assertEquals(4, figures.median(OURS));
        assertTrue(Double.isNaN(figures.median(THEIRS)));
    }

    @Test
    void aRatioIsComparedWithItsLimit() {
        figures.add(OURS, 30);
        figures.add(THEIRS, 20);
        assertEquals(1.5, new Target(OURS, THEIRS, 1.5).value(figures));
        assertEquals(Verdict.MET, new Target(OURS, THEIRS, 1.5).verdict(figures));
        assertEquals(Verdict.MISSED, new Target(OURS, THEIRS, 1.49).verdict(figures));
        assertEquals(Verdict.INFORMATION, new Target(OURS, THEIRS, Double.NaN).verdict(figures));
        assertEquals(Verdict.MET, new Target(OURS, null, 30).verdict(figures));
        assertEquals(Verdict.MISSED, new Target(OURS, null, 29).verdict(figures));
    }

    @Test
    void whatIsMissingIsNotMet() {
        assertEquals(Verdict.UNMEASURED, new Target(OURS, null, 30).verdict(figures));
        figures.add(OURS, 30);
        assertEquals(Verdict.UNMEASURED, new Target(OURS, THEIRS, 1.5).verdict(figures));
    }

    @Test
    void noTargetIsListedTwice() {
        List<Target> targets = Targets.all();
        assertEquals(targets.size(), new HashSet<>(targets).size());
    }
}
