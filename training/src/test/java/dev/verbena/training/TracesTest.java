package dev.verbena.training;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** What tracers have learned outlives a training. */
@Timeout(60)
class TracesTest {
    private static final Dataset DATA = Dataset.synthetic(1);

    @TempDir
    private Path directory;

    @Test
    void nothingIsCopiedWhereItIsKnown() throws Exception {
        TrainingOptions options = options("mlp", 2);
        Map<String, TrainingResult> first = Cluster.train(options, DATA);
        Map<String, TrainingResult> second = Cluster.train(options, DATA);
        for (String task : Training.tasks(options)) {
            assertTrue(first.get(task).session().copiesFirst() > 0, task);
            assertFalse(first.get(task).hadTrace(), task);
            assertEquals(0, second.get(task).session().copiesFirst() + second.get(task).session().copiesLater(), task);
            assertEquals(0, second.get(task).session().copiedByteSizeFirst(), task);
            assertTrue(second.get(task).hadTrace(), task);
        }
        assertArrayEquals(Cluster.meanLosses(first), Cluster.meanLosses(second));
        assertEquals(Training.tasks(options), Training.traced(options, DATA));
        // The same crosses, whatever the mini-batch.
        TrainingOptions larger = new TrainingOptions("mlp", 2, 1, 3, 32, 7, .1f, false).withTraces(directory);
        assertEquals(Training.tasks(larger), Training.traced(larger, DATA));
    }

    @Test
    void withTensorsOfUnknownShapeToo() throws Exception {
        TextCorpus text = TextCorpus.load(SmallText.write(directory), TextOptions.defaults());
        TrainingOptions options = new TrainingOptions("lstm", 1, 2, 4, 8, 1, .01f, false).withTraces(directory);
        assertTrue(Cluster.train(options, text).get("worker:0").session().copiesFirst() > 0);
        Cluster.train(options, text).forEach((task, result) -> assertEquals(0,
                result.session().copiesFirst() + result.session().copiesLater(), task));
    }

    /** Other models and clusters, in one directory: each learns for itself, and leaves the others' alone. */
    @Test
    void anotherPlansAreNotTaken() throws Exception {
        Cluster.train(options("mlp", 1), DATA);
        List<String> before = names();
        for (TrainingOptions other : List.of(options("mlp", 2), options("cnn", 1))) {
            assertEquals(List.of(), Training.traced(other, DATA));
            Cluster.train(other, DATA).forEach((task, result) -> {
                assertFalse(result.hadTrace(), task);
                assertTrue(result.session().copiesFirst() > 0, task);
                assertEquals(0, result.session().copiesLater(), task);
            });
        }
        assertTrue(names().containsAll(before), () -> before + " of " + names());
        assertEquals(2 + 3 + 2, names().size());
        assertEquals(2, Training.traced(options("mlp", 1), DATA).size());
    }

    @Test
    void aDamagedOneIsRefused() throws Exception {
        TrainingOptions options = options("mlp", 1);
        Cluster.train(options, DATA);
        Path file = directory.resolve(names().getLast());
        Files.writeString(file, Files.readString(file).replace("end ", "and "));
        String message = assertThrows(TrainingException.class, () -> Training.traced(options, DATA)).getMessage();
        assertTrue(message.startsWith("the saved trace cannot be used: " + file + ":")
                && message.endsWith("; remove it, and what it had is learned again"), message);
    }

    private TrainingOptions options(String model, int workers) {
        return new TrainingOptions(model, workers, 1, 3, 8, 1, .1f, false).withTraces(directory);
    }

    private List<String> names() {
        try (Stream<Path> files = Files.list(directory)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }
}
