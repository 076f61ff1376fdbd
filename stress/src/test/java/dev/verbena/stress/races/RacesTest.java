package dev.verbena.stress.races;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

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

/** All races, each for half a second, or longer where that was too short for many tries; and that a race which is lost is seen. */
@Timeout(3 * JavaProcess.TIMEOUT_S)
class RacesTest {
    private static final String OURS = "dev.verbena.stress.races.";
    private static final long TRIES_MIN = 100;
    /** The later ones are for those that had too few tries before, since each try takes long or they hardly had a processor. */
    private static final int[] TIMES_MS = {500, 2_000, 10_000};

    @BeforeEach
    void twoThreadsCanMeet() {
        assumeTrue(Runtime.getRuntime().availableProcessors() >= 2, "races need two processors");
    }

    @Test
    void nothingForbiddenHappens() throws Exception {
        Set<String> left = JcstressRun.testsFor(Runtime.getRuntime().availableProcessors(), OURS);
        assertTrue(left.size() >= 23, left::toString);
        for (int timeMs : TIMES_MS) {
            left = left.isEmpty() ? left : namesOfFewTries(left, timeMs);
        }
        assertEquals(Set.of(), left);
    }

    /** Of those of these tests in which nothing forbidden happened, but which had too few tries to say so. */
    private static Set<String> namesOfFewTries(Set<String> names, int timeMs) throws Exception {
        JcstressRun run = JcstressRun.quick("races-" + timeMs, JcstressRun.MAIN_CLASSES, timeMs, pattern(names));
        assertEquals(0, run.status(), run::output);
        assertEquals(names, run.results().stream().map(TestResult::getName).collect(Collectors.toSet()), run::output);
        run.results().forEach(result -> assertEquals(Status.NORMAL, result.status(), result::getName));
        return run.results().stream().filter(result -> result.getTotalCount() < TRIES_MIN).map(TestResult::getName)
                .collect(Collectors.toSet());
    }

    @Test
    void aLostRaceIsSeen() throws Exception {
        Set<String> left = Set.of(OURS + "MutantClosedTwice", OURS + "MutantFreeList");
        for (int timeMs : TIMES_MS) {
            left = left.isEmpty() ? left : namesOfUncaught(left, timeMs);
        }
        assertEquals(Set.of(), left);
    }

    /** Of those of these mutants in which nothing forbidden happened: it may have been too short for that. */
    private static Set<String> namesOfUncaught(Set<String> names, int timeMs) throws Exception {
        JcstressRun run = JcstressRun.quick("mutants-" + timeMs, JcstressRun.TEST_CLASSES, timeMs, pattern(names));
        assertEquals(names, run.results().stream().map(TestResult::getName).collect(Collectors.toSet()), run::output);
        assertFalse(run.results().stream().anyMatch(result -> result.status() != Status.NORMAL), run::output);
        Set<String> uncaught = new TreeSet<>();
        for (TestResult result : run.results()) {
            String forbidden = result.getName().endsWith("MutantClosedTwice") ? "true, true" : "false";
            if (result.getCount(forbidden) == 0) {
                uncaught.add(result.getName());
            }
        }
        assertEquals(uncaught.equals(names), run.status() == 0, run::output);
        return uncaught;
    }

    private static String pattern(Set<String> names) {
        return names.stream().map(name -> Pattern.quote(name) + "$").collect(Collectors.joining("|"));
    }
}
