package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.fasterxml.jackson.jr.ob.JSON;

/** The whole way: processes, fabric, training, report. */
class TrainCommandTest {
    private static final double BATCH_TOLERANCE = 1e-4;

    @TempDir
    private Path folder;

    @Test
    void trainsAcrossProcessesWithoutCopiesAfterTheFirstIteration() throws Exception {
        Map<String, Object> report = train("--workers=2", "--servers=2", "--iterations=30");
        assertEquals("mlp", report.get("model"));
        assertEquals("shm", report.get("fabric"));
        assertEquals("zerocopy", report.get("transport"));
        assertEquals(2, report.get("workers"));
        assertEquals(2, report.get("servers"));
        assertEquals(30, report.get("iterations"));
        assertTrue(number(report, "senderCopies", "firstIteration") > 0);
        assertEquals(0, number(report, "senderCopies", "later"));
        assertTrue(number(report, "senderCopiedBytes", "firstIteration") > 0);
        assertEquals(0, number(report, "senderCopiedBytes", "later"));
        assertTrue(number(report, "transfers", "static") > 0);
        assertEquals(0, number(report, "transfers", "dynamic"));
        assertTrue(number(report, "sites", "registered") > 0);
        assertTrue(number(report, "sites", "seen") > number(report, "sites", "registered"));
        assertTrue(number(report, "registeredBytes") > 0);
        assertTrue(number(report, "registrationMillis") > 0);
        assertTrue(number(report, "bytesPerIteration") > 0);
        assertTrue(number(report, "imagesPerSecond") > 0);
        assertTrue(number(report, "testAccuracy") > 0.1, () -> "no better than guessing: " + report);
        double[] losses = losses(report);
        assertEquals(30, losses.length);
        assertTrue(losses[29] < losses[0], () -> "nothing learned: " + report);
        List<?> tasks = (List<?>) report.get("tasks");
        assertEquals(List.of("server:0", "server:1", "worker:0", "worker:1"),
                tasks.stream().map(task -> ((Map<?, ?>) task).get("task")).toList());
        assertEquals(4, tasks.stream().map(task -> ((Map<?, ?>) task).get("pid")).distinct().count());
    }

    @Test
    void oneWorkerHasTheVeryLossesOfOneProcess() throws Exception {
        Map<String, Object> local = train("--local", "--workers=1", "--iterations=25");
        assertEquals("local", local.get("fabric"));
        assertEquals(0, number(local, "bytesPerIteration"));
        assertArrayEquals(losses(local), losses(train("--workers=1", "--iterations=25")));
    }

    @Test
    void copyingGivesTheSameLossesAndCountsItsCopies() throws Exception {
        Map<String, Object> copied = train("--transport=copy", "--iterations=10");
        assertEquals("copy", copied.get("transport"));
        assertTrue(number(copied, "senderCopies", "later") > 0);
        assertTrue(number(copied, "senderCopiedBytes", "later") > 0);
        assertArrayEquals(losses(train("--iterations=10")), losses(copied));
    }

    @Test
    void twoWorkersTrainAsOneWithTheJoinedBatch() throws Exception {
        double[] joined = losses(train("--local", "--workers=1", "--batch=64", "--iterations=20"));
        double[] shared = losses(train("--workers=2", "--batch=32", "--iterations=20"));
        assertEquals(joined.length, shared.length);
        for (int i = 0; i < joined.length; i++) {
            assertEquals(joined[i], shared[i], BATCH_TOLERANCE * joined[i], "iteration " + i);
        }
    }

    @Test
    void trainsOnAPairOfFiles() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        IdxFiles.writePair(data, "t10k", 500, 12);
        Map<String, Object> report = train("--data=" + data, "--epochs=2", "--batch=50");
        assertEquals(8, report.get("iterations"), "two passes over 400 images by 2 workers with 50 each");
        assertEquals(2.0, number(report, "epochs"));
    }

    @Test
    void isQuietWithoutATerminal() throws Exception {
        try (CommandRun run = CommandRun.start("train", "--iterations=5", "--workers=1")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals("", run.errors());
            assertTrue(run.output().contains("test accuracy"), run::output);
            assertFalse(run.output().contains("\r"), run::output);
            assertEquals(List.of(), run.sharedFiles());
            assertEquals(List.of(), run.processes());
        }
    }

    private Map<String, Object> train(String... options) throws IOException, InterruptedException {
        Path json = folder.resolve("out.json");
        List<String> arguments = new ArrayList<>(List.of("train", "--json=" + json, "--quiet"));
        arguments.addAll(List.of(options));
        try (CommandRun run = CommandRun.start(arguments.toArray(String[]::new))) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals("", run.output());
            assertEquals(List.of(), run.sharedFiles());
            return JSON.std.mapFrom(Files.readString(json));
        }
    }

    private static double[] losses(Map<String, Object> report) {
        return ((List<?>) report.get("lossCurve")).stream().mapToDouble(loss -> ((Number) loss).doubleValue())
                .toArray();
    }

    private static double number(Map<String, Object> report, String... path) {
        Object value = report;
        for (String key : path) {
            value = ((Map<?, ?>) value).get(key);
        }
        return ((Number) value).doubleValue();
    }
}
