package dev.verbena.benchmarks.training;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** A smoke test: each transport trains, and to the same losses. */
@Timeout(600)
class TrainingBenchmarkTest {
    private static final String COMMAND = "verbena.command";

    @AfterEach
    void forgetTheCommand() {
        System.clearProperty(COMMAND);
    }

    @Test
    void eachTransportTrains() throws Exception {
        System.setProperty(COMMAND, System.getProperty("verbena.home") + "/verbena");
        List<String> said = new ArrayList<>();
        TrainingFigures figures = TrainingBenchmark.run(new TrainingOrder(new String[]{"--quick", "--workers", "2"}),
                said::add);
        TrainingCase mlp = new TrainingCase("mlp", 2);
        assertEquals(List.of("mlp, 2 workers: round 1 of 1"), said);
        for (Transport transport : Transport.values()) {
            TrainingRun run = figures.runs(mlp, transport).getFirst();
            assertEquals(mlp.iterations(true), run.losses().size());
            assertEquals(transport == Transport.ZERO_COPY, run.copies() == 0, transport.label);
        }
        assertTrue(figures.table().get(1).startsWith("mlp, 2 workers"), figures.table()::toString);
    }

    @Test
    void withoutTheCommandItSaysHowToStartIt() {
        assertEquals("-Dverbena.command is not set: start it by ./verbena bench",
                assertThrows(IllegalStateException.class,
                        () -> TrainingBenchmark.run(new TrainingOrder(new String[]{"--quick"}), _ -> {}))
                        .getMessage());
    }
}
