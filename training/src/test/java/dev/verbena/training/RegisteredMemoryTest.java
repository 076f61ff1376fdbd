package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Path;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import dev.verbena.graph.Graph;
import dev.verbena.graph.plan.TransferPlan;

/**
 * What a task registers for what crosses, beside what crosses at the peak: all of it at once. A task has slack of a least size and whole runs of
 * a size class for the small tensors that it sends: some KiB, however large the others are, of which only a task where little crosses hears.
 */
class RegisteredMemoryTest {
    private static final long KIB = 1024;

    @ParameterizedTest
    @CsvSource({"fcn5, 1, 1, 0", "fcn5, 2, 2, 0", "mlp, 1, 1, 0", "mlp, 2, 1, 0", "mlp, 2, 2, 28", "cnn, 1, 1, 0",
            "cnn, 2, 1, 0", "lstm, 1, 1, 0", "lstm, 2, 1, 0"})
    void isATenthMoreThanWhatCrossesAndSomeForSmallTensors(String model, int workers, int servers, long smallKib,
            @TempDir Path directory) throws IOException {
        TrainingData data = model.equals("lstm")
                ? TextCorpus.load(SmallText.write(directory), TextOptions.defaults())
                : Dataset.synthetic(1);
        TrainingOptions options = new TrainingOptions(model, workers, servers, 1, 8, 1, .1f, false);
        Graph graph = Training.graph(options, data, false);
        check(Training.plan(graph, options, false, false), options, smallKib);
        check(Training.plan(graph, options, false, true), options, smallKib);
    }

    private static void check(TransferPlan plan, TrainingOptions options, long smallKib) {
        for (String task : Training.tasks(options)) {
            long crossing = plan.crossingPeakByteSize(task);
            long planned = plan.plannedByteSize(task);
            String figures = task + " planned=" + planned + " crossing=" + crossing + "\n" + plan;
            assertTrue(crossing > 0 && planned >= crossing, figures);
            assertTrue(planned <= 1.1 * crossing + smallKib * KIB, figures);
        }
    }
}
