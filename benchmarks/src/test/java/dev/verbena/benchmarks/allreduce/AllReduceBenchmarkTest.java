package dev.verbena.benchmarks.allreduce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import com.fasterxml.jackson.jr.ob.JSON;

/** A smoke test, with Gloo where it is; and what is said of times that are made up. */
@Timeout(600)
class AllReduceBenchmarkTest {
    private static final String COMMAND = "verbena.command";
    private static final String SCRIPT = "verbena.gloo";

    @AfterEach
    void forgetTheCommands() {
        System.clearProperty(COMMAND);
        System.clearProperty(SCRIPT);
    }

    @Test
    void twoMembersReduce() throws Exception {
        String home = System.getProperty("verbena.home");
        System.setProperty(COMMAND, home + "/verbena");
        System.setProperty(SCRIPT, home + "/benchmarks/src/main/python/gloo_allreduce.py");
        List<String> said = new ArrayList<>();
        AllReduceFigures figures = AllReduceBenchmark.run(new AllReduceOrder(new String[]{"--quick"}), said::add);
        assertEquals(List.of("2 members: round 1 of 1"), said);
        assertEquals(Gloo.find().isPresent(), figures.timesFaster(2, 4096).isPositive());
        assertTrue(figures.table().get(2).startsWith("2 members, 4,096 B"), figures.table()::toString);
    }

    @Test
    void ratiosAreOfTheSameRound() throws Exception {
        AllReduceFigures figures = new AllReduceFigures("2.0");
        for (int round = 1; round <= 3; round++) {
            figures.addVerbena(2, Map.of(64L, 1. * round));
            figures.addGloo(2, Map.of(64L, 20. + round));
        }
        assertEquals(11, figures.timesFaster(2, 64).median());
        assertTrue(figures.table().get(1).matches("2 members, 64 B +2\\.00 +22\\.00 +11\\.0 .*"),
                figures.table()::toString);
        assertEquals("Gloo: of PyTorch 2.0, over loopback.", figures.table().get(2));
        assertEquals(1, ((List<?>) JSON.std.mapFrom(figures.json()).get("figures")).size());
    }

    @Test
    void withoutGlooItSaysHowToGetIt() {
        AllReduceFigures figures = new AllReduceFigures(null);
        figures.addVerbena(2, Map.of(64L, 1.5));
        assertTrue(figures.table().get(1).matches("2 members, 64 B +1\\.50"), figures.table()::toString);
        assertTrue(figures.table().get(2).endsWith("apt-get install python3-torch."), figures.table()::toString);
    }

    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown: use [--quick]",
            "--members 1, --members=1 has nobody to reduce with",
            "--members 2;x, --members=x must be a whole number", "--rounds 0, --rounds=0 must be a whole number"})
    void wrongOptionsAreNamed(String arguments, String message) {
        String said = assertThrows(IllegalArgumentException.class,
                () -> new AllReduceOrder(arguments.replace(';', ',').split(" "))).getMessage();
        assertTrue(said.startsWith(message), said);
    }
}
