package dev.verbena.benchmarks.step;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.benchmarks.training.Transport;

/** A smoke test: a server and two workers step by each transport, and workers see each step at its variables. */
@Timeout(600)
class StepBenchmarkTest {
    @Test
    void eachTransportSteps(@TempDir Path folder) throws Exception {
        List<String> said = new ArrayList<>();
        Path json = folder.resolve("step.json");
        StepFigures figures = StepBenchmark.run(
                new StepOrder(new String[]{"--quick", "--workers", "2", "--json", json.toString()}), said::add);
        StepCase gru = new StepCase(StepModel.named("gru"), 2);
        // The case's rows come as soon as it has been measured.
        assertEquals("gru, 2 workers: round 1 of 1", said.getFirst());
        assertEquals(figures.table().subList(0, 2), said.subList(1, said.size()));
        assertEquals(figures.json(), Files.readString(json).strip());
        assertEquals(1, figures.cases().size());
        for (Transport transport : Transport.values()) {
            assertTrue(figures.step(gru, transport).isPositive(), transport.label);
        }
        assertTrue(figures.table().get(1).matches("gru, 2 workers +27\\.92 .*"), figures.table()::toString);
    }

    @ParameterizedTest
    @CsvSource({"--fast, option '--fast' is unknown: use [--quick]",
            "--workers 65, --workers=65 must be a whole number",
            "--models vgg19, --models=vgg19: 'vgg19' is none of alexnet;inception3;vgg16;lstm;gru;fcn5",
            "--json /no/such/folder/x, --json=/no/such/folder/x cannot be written"})
    void wrongOptionsAreNamed(String arguments, String message) {
        String said = assertThrows(IllegalArgumentException.class, () -> new StepOrder(arguments.split(" ")))
                .getMessage();
        assertTrue(said.startsWith(message.replace(';', ',')), said);
    }

    @Test
    void casesAreModelsByWorkers() {
        assertEquals(18, new StepOrder(new String[0]).cases().size());
        assertEquals(List.of("fcn5, 1 worker"),
                new StepOrder(new String[]{"--models", "fcn5", "--workers", "1", "--quick"})
                        .cases().stream().map(StepCase::toString).toList());
        StepOrder order = new StepOrder(new String[]{"--models", "fcn5,lstm", "--workers", "2,1"});
        assertEquals(List.of("fcn5, 1 worker", "fcn5, 2 workers", "lstm, 1 worker", "lstm, 2 workers"),
                order.cases().stream().map(StepCase::toString).toList());
    }

    @Test
    void largeModelsStepLessOften() {
        StepCase small = new StepCase(StepModel.named("gru"), 1);
        StepCase large = new StepCase(StepModel.named("vgg16"), 4);
        assertEquals(300, small.steps(Transport.ZERO_COPY, false));
        assertEquals(36, small.steps(Transport.GRPC, false));
        assertEquals(5, large.steps(Transport.GRPC, false));
        assertEquals(2, large.steps(Transport.COPY, true));
    }
}
