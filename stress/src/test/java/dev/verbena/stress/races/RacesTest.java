package dev.verbena.stress.races;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.openjdk.jcstress.infra.Status;
import org.openjdk.jcstress.infra.collectors.TestResult;

import dev.verbena.stress.JavaProcess;

/** All races, each for half a second, or longer where that is too short for many tries; and that a race which is lost is seen. */
@Timeout(2 * JavaProcess.TIMEOUT_S)
class RacesTest {
    private static final String OURS = "dev.verbena.stress.races.";
    private static final long TRIES_MIN = 100;
    private static final int TIME_MS = 500;
    /** Of those that hardly had a processor. */
    private static final int TIME_AGAIN_MS = 10_000;

    @BeforeEach
    void twoThreadsCanMeet() {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "races need two processors");
    }

    @Test
    void nothingForbiddenHappens() throws Exception {
        JcstressRun run = JcstressRun.quick("races", JcstressRun.MAIN_CLASSES, TIME_MS);
        Set<String> expected = JcstressRun.testsFor(Runtime.getRuntime().availableProcessors(), OURS);
        assertTrue(expected.size() >= 23, expected::toString);
        assertEquals(expected,
                run.results().stream().map(TestResult::getName).collect(Collectors.toCollection(TreeSet::new)),
                run::output);
        List<String> again = namesOfFewTries(run);
        if (!again.isEmpty()) {
            JcstressRun second = JcstressRun.quick("again", JcstressRun.MAIN_CLASSES, TIME_AGAIN_MS,
                    again.stream().map(name -> Pattern.quote(name) + "$").collect(Collectors.joining("|")));
            assertEquals(again.size(), second.results().size(), second::output);
            assertEquals(List.of(), namesOfFewTries(second));
        }
    }

    /** Of tests in which nothing forbidden happened, but which had too few tries to say so. */
    private static List<String> namesOfFewTries(JcstressRun run) {
        assertEquals(0, run.status(), run::output);
        run.results().forEach(result -> assertEquals(Status.NORMAL, result.status(), result::getName));
        return run.results().stream().filter(result -> result.getTotalCount() < TRIES_MIN).map(TestResult::getName)
                .toList();
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
