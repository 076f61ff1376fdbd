package dev.verbena.stress.races;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.TestResult;

/** All races, each for half a second; and that a race which is lost is seen. */
class RacesTest {
    private static final String OURS = "dev.verbena.stress.races.";
    private static final long TRIES_MIN = 100;

    @BeforeEach
    void twoThreadsCanMeet() {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "races need two processors");
    }

    @Test
    void nothingForbiddenHappens() throws Exception {
        JcstressRun run = JcstressRun.quick("races", JcstressRun.MAIN_CLASSES, 500);
        assertEquals(0, run.status(), run::output);
        Set<String> expected = JcstressRun.testsFor(Runtime.getRuntime().availableProcessors(), OURS);
        assertTrue(expected.size() >= 14, expected::toString);
        assertEquals(expected,
                run.results().stream().map(TestResult::getName).collect(Collectors.toCollection(TreeSet::new)),
                run::output);
        for (TestResult result : run.results()) {
            assertEquals(Status.NORMAL, result.status(), result::getName);
            assertTrue(result.getTotalCount() >= TRIES_MIN, () -> result.getName() + ": " + result.getTotalCount());
        }
    }

    @Test
    void aLostRaceIsSeen() throws Exception {
        JcstressRun run = JcstressRun.quick("mutants", JcstressRun.TEST_CLASSES, 500);
        assertNotEquals(0, run.status());
        assertEquals(2, run.results().size(), run::output);
        for (TestResult result : run.results()) {
            String mutant = result.getName().substring(OURS.length());
            String forbidden = mutant.equals("MutantClosedTwice") ? "true, true" : "false";
            assertTrue(result.getCount(forbidden) > 0, () -> mutant + " was not caught: " + result.getStateKeys());
            assertTrue(run.output().contains(result.getName()), run::output);
        }
        assertFalse(run.results().stream().anyMatch(result -> result.status() != Status.NORMAL), run::output);
    }
}
