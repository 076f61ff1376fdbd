package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import com.fasterxml.jackson.jr.ob.JSON;

import dev.verbena.training.Training;

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
        assertTrue(number(report, "transfers", "placed") > 0, "gradients are computed where the server has them");
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

    /** Neither is a defect: one line that says what to do, no stack trace. */
    @Test
    void divergenceAndAMissingBlasAreSaidInOneLine() throws Exception {
        for (String mode : List.of("--local", "--servers=1")) {
            try (CommandRun run = CommandRun.start("train", "--workers=1", "--lr=1e38", "--iterations=50", mode)) {
                assertEquals(ExitStatus.FAILED, run.await(), run::errors);
                assertSaidInOneLine(run.errors(), "training diverged: loss=", "give a smaller learning rate");
            }
            try (CommandRun run = CommandRun.start(List.of(), Map.of("XDG_CACHE_HOME", "/dev/null/cache"), "train",
                    "--workers=1", "--iterations=2", mode)) {
                assertEquals(ExitStatus.FAILED, run.await(), run::errors);
                assertSaidInOneLine(run.errors(), "cannot unpack native libraries", "/dev/null/cache");
            }
        }
    }

    private static void assertSaidInOneLine(String errors, String... words) {
        assertFalse(errors.contains("defect") || errors.contains("\tat "), errors);
        for (String word : words) {
            assertTrue(errors.contains(word), errors);
        }
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
    void grpcGivesTheSameLossesAndRegistersNothingForThem() throws Exception {
        Map<String, Object> carried = train("--transport=grpc", "--iterations=10");
        assertEquals("grpc", carried.get("transport"));
        assertTrue(number(carried, "senderCopies", "later") > 0);
        Map<String, Object> sent = train("--iterations=10");
        assertArrayEquals(losses(sent), losses(carried));
        assertTrue(number(carried, "registeredBytes") < number(sent, "registeredBytes"), carried::toString);
    }

    /** Tensors whose shape only the run tells. */
    @Test
    void grpcCarriesRowsOfATable() throws Exception {
        Path text = Files.writeString(folder.resolve("text"), "to be or not to be, that is the question\n".repeat(60));
        String[] options = {"--model=gru", "--data=" + text, "--batch=4", "--iterations=3"};
        Map<String, Object> carried = train(Stream.concat(Stream.of(options), Stream.of("--transport=grpc"))
                .toArray(String[]::new));
        assertTrue(number(carried, "transfers", "dynamic") > 0);
        assertArrayEquals(losses(train(options)), losses(carried));
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

    /** Whatever moment it was killed at: the curve goes on as if nothing had happened, and so does what is fetched at the end. */
    @Test
    void whoWasKilledGoesOnFromItsCheckpoints() throws Exception {
        String[] options = {"--workers=1", "--servers=2", "--iterations=500", "--batch=8", "--optimizer=adam"};
        Map<String, Object> whole = train(options);
        Path checkpoints = folder.resolve("checkpoints");
        String[] written = with(options, "--checkpoint=" + checkpoints, "--checkpoint-every=10");
        try (CommandRun run = CommandRun.start(with(new String[]{"train"}, written))) {
            while (Training.lastCheckpoint(Files.createDirectories(checkpoints),
                    List.of("server:0", "server:1")) == 0) {
                assertTrue(run.process().isAlive(), run::errors);
                Thread.sleep(2);
            }
            run.processes().forEach(ProcessHandle::destroyForcibly);
            assertEquals(List.of(), run.awaitNoProcess(20));
        }
        int from = Training.lastCheckpoint(checkpoints, List.of("server:0", "server:1"));
        assertTrue(from > 0 && from < 500, "from=" + from);
        Map<String, Object> resumed = train(with(written, "--resume"));
        double[] losses = losses(whole);
        assertArrayEquals(Arrays.copyOfRange(losses, from, losses.length), losses(resumed));
        assertEquals(whole.get("testAccuracy"), resumed.get("testAccuracy"));
    }

    /** What tracers learn is kept: a later start copies nothing, from its first iteration on. */
    @Test
    void aSecondStartCopiesNothing() throws Exception {
        String[] options = {"--workers=2", "--iterations=3", "--trace=" + folder.resolve("traces")};
        Map<String, Object> first = train(options);
        assertTrue(number(first, "senderCopies", "firstIteration") > 0);
        assertEquals(0, number(first, "tasksWithTrace"));
        Map<String, Object> second = train(options);
        assertEquals(0, number(second, "senderCopies", "firstIteration"));
        assertEquals(0, number(second, "senderCopiedBytes", "firstIteration"));
        assertEquals(0, number(second, "senderCopies", "later"));
        assertEquals(3, number(second, "tasksWithTrace"));
        assertArrayEquals(losses(first), losses(second));
    }

    /** By epoch, while it trains and in the report; the last is the final figure. Each task says where its time went. */
    @Test
    void saysHowItGoes() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        IdxFiles.writePair(data, "t10k", 500, 12);
        Path json = folder.resolve("out.json");
        try (CommandRun run = CommandRun.start("train", "--data=" + data, "--epochs=3", "--batch=50",
                "--validate-every=1", "--blas-threads=2", "--json=" + json, "--report=" + folder.resolve("run.html"))) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertEquals(List.of("epoch 1: test accuracy", "epoch 2: test accuracy"), run.errors().lines()
                    .map(line -> line.replaceAll(" [01]\\.\\d{4}$", "")).toList());
            assertTrue(run.output().contains("BLAS threads   2 in each process"), run::output);
            assertTrue(run.output().contains("by epoch       1.000: "), run::output);
            assertTrue(run.output().contains("ms computing + "), run::output);
        }
        String page = Files.readString(folder.resolve("run.html"));
        assertTrue(page.contains("<h3>worker:1</h3>") && page.contains("epoch 2.000: test accuracy"), page);
        Map<String, Object> report = JSON.std.mapFrom(Files.readString(json));
        assertEquals(2, report.get("blasThreads"));
        List<?> validations = (List<?>) report.get("validations");
        assertEquals(List.of(1.0, 2.0, 3.0), validations.stream().map(each -> ((Map<?, ?>) each).get("epoch"))
                .toList());
        assertEquals(report.get("testAccuracy"), ((Map<?, ?>) validations.getLast()).get("accuracy"));
        for (Object task : (List<?>) report.get("tasks")) {
            Map<?, ?> millis = (Map<?, ?>) ((Map<?, ?>) task).get("iterationMillis");
            for (String part : List.of("computing", "copying", "waiting")) {
                Map<?, ?> share = (Map<?, ?>) millis.get(part);
                double mean = ((Number) share.get("mean")).doubleValue();
                assertTrue(mean > 0 && mean <= ((Number) share.get("max")).doubleValue(), task::toString);
                assertEquals(((Number) share.get("total")).doubleValue(), 12 * mean, 1e-6 * 12 * mean, task::toString);
            }
        }
    }

    /** A server by hand is told what there is to know of data that are not there. */
    @Test
    void aServerNeedsNoData() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        IdxFiles.writePair(data, "t10k", 500, 12);
        String[] options = {"--workers=1", "--iterations=4", "--batch=50"};
        double[] expected = losses(train(with(options, "--data=" + data)));
        Path json = folder.resolve("worker.json");
        List<Integer> ports = freePorts(2);
        String[] cluster = with(options,
                "--cluster=server:0=127.0.0.1:" + ports.get(0) + ",worker:0=127.0.0.1:" + ports.get(1));
        try (CommandRun server = CommandRun.start(with(new String[]{"task", "--task=server:0",
                "--listen=127.0.0.1:" + ports.get(0), "--data-facts=1x12x12,classes=10,train=400,test=100"}, cluster));
                CommandRun worker = CommandRun.start(with(new String[]{"task", "--task=worker:0",
                        "--listen=127.0.0.1:" + ports.get(1), "--data=" + data, "--json=" + json}, cluster))) {
            assertEquals(ExitStatus.SUCCESS, worker.await(), worker::errors);
            assertEquals(ExitStatus.SUCCESS, server.await(), server::errors);
        }
        assertArrayEquals(expected, losses(JSON.std.mapFrom(Files.readString(json))));
    }

    /** Nor does one of the launcher's get any. */
    @Test
    void serversAreGivenNoData() throws Exception {
        Path data = Files.createDirectory(folder.resolve("data"));
        IdxFiles.writePair(data, "t10k", 500, 12);
        try (CommandRun run = CommandRun.start("train", "--data=" + data, "--iterations=1000000", "--workers=1")) {
            Map<String, ProcessHandle> tasks = run.tasks();
            while (tasks.size() < 2) {
                assertTrue(run.process().isAlive(), run::errors);
                Thread.sleep(5);
                tasks = run.tasks();
            }
            assertEquals("--data-facts=1x12x12,classes=10,train=400,test=100", dataOf(tasks.get("server:0")));
            assertEquals("--data=" + data, dataOf(tasks.get("worker:0")));
        }
    }

    private static String dataOf(ProcessHandle task) throws InterruptedException {
        String data = "";
        // Not what its handle says, which leaves out long command lines; and while a process becomes another program it has none.
        while (data.isEmpty() && task.isAlive()) {
            Thread.sleep(5);
            data = Arrays.stream(CommandRun.readProc(task.pid(), "cmdline").split("\0"))
                    .filter(each -> each.startsWith("--data")).collect(Collectors.joining(" "));
        }
        return data;
    }

    private static List<Integer> freePorts(int count) throws IOException {
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (int i = 0; i < count; i++) {
                sockets.add(new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1")));
            }
            return sockets.stream().map(ServerSocket::getLocalPort).toList();
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
    }

    private static String[] with(String[] options, String... more) {
        return Stream.concat(Arrays.stream(options), Arrays.stream(more)).toArray(String[]::new);
    }

    /** A text is a file; its figure is the perplexity, and there are dynamic transfers. */
    @Test
    void trainsOnAText() throws Exception {
        Path text = folder.resolve("text.txt");
        Files.writeString(text, "one write, one read\na queue pair\n".repeat(60));
        Map<String, Object> report = train("--model=lstm", "--data=" + text, "--workers=2", "--batch=4",
                "--iterations=15");
        assertTrue(number(report, "testPerplexity") < 26, report::toString);
        assertEquals(null, report.get("testAccuracy"));
        assertEquals("adam", report.get("optimizer"));
        assertTrue(number(report, "transfers", "dynamic") > 0);
        assertEquals(0, number(report, "senderCopies", "later"));
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
