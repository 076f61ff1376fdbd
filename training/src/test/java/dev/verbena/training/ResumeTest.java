package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** A training that goes on from a checkpoint ends as the one that was never interrupted, to the last bit. */
@Timeout(60)
class ResumeTest {
    private static final Dataset DATA = Dataset.synthetic(1);
    private static final TrainingListener QUIET = (_, _, _) -> {};
    private static final int ITERATIONS = 25;

    @TempDir
    private Path directory;

    @ParameterizedTest
    @EnumSource(Optimizer.class)
    void inOneProcess(Optimizer optimizer) {
        TrainingOptions options = options("mlp", ITERATIONS).withOptimizer(optimizer);
        TrainingResult whole = Training.local(options, DATA, QUIET);
        Training.local(options("mlp", 17).withOptimizer(optimizer).withCheckpoints(each(5, 0)), DATA, QUIET);
        assertEquals(List.of("local.10.checkpoint", "local.15.checkpoint"), names());
        assertEquals(15, Training.lastCheckpoint(directory, Training.tasksWithVariables(options, true)));
        TrainingResult resumed = Training.local(options.withCheckpoints(each(5, 15)), DATA, QUIET);
        assertArrayEquals(Arrays.copyOfRange(whole.lossCurve(), 15, ITERATIONS), resumed.lossCurve());
        assertEquals(whole.testAccuracy(), resumed.testAccuracy());
    }

    /** Servers that were not killed at the same moment have one checkpoint in common. */
    @Test
    void inAClusterWithATextAndWhatAdamRemembers() throws Exception {
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        TrainingOptions options = options("lstm", ITERATIONS).withOptimizer(Optimizer.ADAM);
        double[] whole = Cluster.train(options, text).get("worker:0").lossCurve();
        Cluster.train(options("lstm", 13).withOptimizer(Optimizer.ADAM).withCheckpoints(each(4, 0)), text);
        Files.delete(directory.resolve("server-1.12.checkpoint"));
        List<String> tasks = Training.tasksWithVariables(options, false);
        assertEquals(List.of("server:0", "server:1"), tasks);
        assertEquals(8, Training.lastCheckpoint(directory, tasks));
        Map<String, TrainingResult> resumed = Cluster.train(options.withCheckpoints(each(4, 8)), text);
        assertArrayEquals(Arrays.copyOfRange(whole, 8, ITERATIONS), resumed.get("worker:0").lossCurve());
    }

    @Test
    void ofOtherOptionsNoneIsTaken() {
        Training.local(options("mlp", 5).withCheckpoints(each(5, 0)), DATA, QUIET);
        TrainingOptions other = options("mlp", ITERATIONS).withOptimizer(Optimizer.ADAM).withCheckpoints(each(5, 5));
        String message = assertThrows(CheckpointException.class, () -> Training.local(other, DATA, QUIET)).getMessage();
        assertTrue(message.contains("is of a training with other options: '") && message.contains("optimizer=sgd")
                && message.contains("optimizer=adam"), message);
    }

    @Test
    void nothingIsLeftToDoOrNothingIsThere() {
        assertEquals(0, Training.lastCheckpoint(directory, List.of("server:0")));
        String message = assertThrows(IllegalArgumentException.class, () -> Training
                .local(options("mlp", 5).withCheckpoints(each(5, 5)), DATA, QUIET)).getMessage();
        assertEquals("iterations=5, and the checkpoint is of 5: nothing is left to do; give more iterations", message);
        Path nowhere = directory.resolve("nowhere");
        assertTrue(assertThrows(CheckpointException.class,
                () -> Training.lastCheckpoint(nowhere, List.of("server:0"))).getMessage()
                .startsWith(nowhere + " cannot be read"));
    }

    private CheckpointOptions each(int every, int resumeFrom) {
        return new CheckpointOptions(directory, every, resumeFrom);
    }

    private List<String> names() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static TrainingOptions options(String model, int iterations) {
        return new TrainingOptions(model, 1, 2, iterations, 16, 1, .02f, false);
    }
}
