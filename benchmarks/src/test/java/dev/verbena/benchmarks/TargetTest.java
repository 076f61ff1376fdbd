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
    void ofARateMoreIsBetter() {
        Key together = new Key(Measure.THREADS, "small x8", "ours");
        Key alone = new Key(Measure.THREADS, "small", "ours");
        figures.add(together, 64);
        figures.add(alone, 10);
        assertEquals(6.4, new Target(together, alone, 6.4).value(figures));
        assertEquals(Verdict.MET, new Target(together, alone, 6.4).verdict(figures));
        assertEquals(Verdict.MISSED, new Target(together, alone, 6.5).verdict(figures));
        assertEquals(Verdict.NOT_HERE, new Target(together, alone, 6.5, false).verdict(figures));
    }

    /** Eight and sixteen threads need as many processors; sixteen on fewer reach nearly what as many threads as processors do. */
    @Test
    void targetsOfThreadsAreOfTheirMachines() {
        assertEquals(List.of("small x16 against small x2", "large x16 against large x2",
                "large x16 against large-of-many x2"), threadsJudgedOn(2));
        assertEquals(7, threadsJudgedOn(8).size());
        assertTrue(threadsJudgedOn(12).contains("small x16 against small x12"));
        assertEquals(8, threadsJudgedOn(16).size());
        assertTrue(threadsJudgedOn(16).contains("large x16 against large"));
    }

    private static List<String> threadsJudgedOn(int processors) {
        return Targets.all(processors).stream()
                .filter(target -> target.key().measure() == Measure.THREADS && target.isForThisMachine())
                .map(target -> target.key().workload() + " against " + target.against().workload()).toList();
    }

    @Test
    void whatIsMissingIsNotMet() {
        assertEquals(Verdict.UNMEASURED, new Target(OURS, null, 30).verdict(figures));
        figures.add(OURS, 30);
        assertEquals(Verdict.UNMEASURED, new Target(OURS, THEIRS, 1.5).verdict(figures));
    }

    @Test
    void noTargetIsListedTwice() {
        for (int processors : new int[]{1, 2, 8, 12, 16, 64}) {
            List<Target> targets = Targets.all(processors);
            assertEquals(targets.size(), new HashSet<>(targets).size());
        }
    }
}
