package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.IOException;
import java.net.BindException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Whatever a user gets wrong: one line that names it, status 2, nothing left behind. */
class BadInputTest {
    private static final int COUNT = 100;
    private static final int SIDE = 12;

    /** What a user need not know. */
    private static final Pattern OF_JAVA = Pattern
            .compile("Exception|java\\.|dev\\.verbena| an? (?:int|long|float|double|Path|String)\\b");

    @TempDir
    private Path folder;
    private Path data;
    private Path json;

    @BeforeEach
    void writeGoodData() throws IOException {
        data = Files.createDirectory(folder.resolve("data"));
        json = folder.resolve("out.json");
        IdxFiles.writePair(data, "train", COUNT, SIDE);
        IdxFiles.writePair(data, "t10k", COUNT, SIDE);
    }

    @Test
    void goodInputIsTaken() throws Exception {
        try (CommandRun run = train("--batch=10", "--iterations=2", "--rdma-queue-depth=64",
                "--rdma-completion-mode=events")) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertTrue(Files.exists(json));
        }
    }

    @ParameterizedTest
    @CsvSource({"--model=resnet, resnet", "--workers=0, --workers=0", "--servers=0, --servers=0",
            "--batch=0, --batch=0", "--batch=1000000, 1000000", "--iterations=0, --iterations=0",
            "--epochs=-1, --epochs=-1", "--timeout=0, --timeout=0", "--lr=0, --lr=0", "--lr=NaN, NaN",
            "--optimizer=best, adam", "--checkpoint-every=0, --checkpoint-every=0", "--resume, --checkpoint=DIR",
            "--resume-from=5, --checkpoint=DIR", "--checkpoint=/dev/null/x, /dev/null/x", "--model=lstm, takes a text",
            "--validate-every=0, --validate-every=0", "--blas-threads=0, --blas-threads=0",
            "--trace=/dev/null/x, /dev/null/x", "--trace=x --transport=copy, --trace", "--trace=x --local, --trace",
            "--report=/proc/page.html, /proc/page.html",
            "--seed=x, --seed", "--fabric=tcp, tcp", "--workers=x, 'x' is not a whole number",
            "--workers=9999999999, too large",
            "--lr=x, 'x' is not a number", "--bacth=1, Unknown option: '--bacth=1'", "data, unexpected argument 'data'",
            "--transport=pigeon, pigeon", "--port=65535, 65535", "--port=-1, -1", "--iteration=1, --iteration",
            "--rdma-timeout=32, --rdma-timeout=32", "--rdma-mtu=1500, --rdma-mtu=1500", "--rdma-port=x, --rdma-port",
            "--rdma-completion-mode=never, POLLING", "--rdma-device=, --rdma-device"})
    void badOptions(String option, String named) throws Exception {
        assertRefused(train(option.split(" ")), named);
    }

    @Test
    void aCommandThatIsNearlyRightIsGuessed() throws Exception {
        assertRefused(CommandRun.start("lanch", "-n", "2"), "unexpected argument", "'lanch'", "did you mean launch?");
    }

    @Test
    void badEnvironment() throws Exception {
        assertRefused(CommandRun.start(List.of(), Map.of("RDMA_QP_TIMEOUT", "soon"), "train", "--data=" + data,
                "--batch=10"), "RDMA_QP_TIMEOUT=soon", "0 to 31");
    }

    @Test
    void epochsAndIterationsTogether() throws Exception {
        assertRefused(train("--epochs=1", "--iterations=1"), "--epochs", "--iterations");
    }

    @Test
    void noData() throws Exception {
        assertRefused(CommandRun.start("train", "--data=" + folder.resolve("nowhere")), "nowhere");
        assertRefused(CommandRun.start("train", "--data=" + Files.createDirectory(folder.resolve("hollow"))), "hollow");
    }

    @ParameterizedTest
    @CsvSource({"train-images-idx3-ubyte", "train-labels-idx1-ubyte", "t10k-images-idx3-ubyte",
            "t10k-labels-idx1-ubyte"})
    void emptyOrTruncatedFiles(String name) throws Exception {
        Path file = data.resolve(name);
        byte[] good = Files.readAllBytes(file);
        for (int length : new int[]{0, 3, 6, good.length - 1}) {
            Files.write(file, Arrays.copyOf(good, length));
            assertRefused(train(), name);
        }
    }

    @Test
    void mislabelledFiles() throws Exception {
        Path labels = data.resolve("train-labels-idx1-ubyte");
        Files.write(labels, IdxFiles.labels(COUNT - 1, new byte[COUNT - 1]));
        assertRefused(train(), Integer.toString(COUNT), Integer.toString(COUNT - 1));
        Files.copy(data.resolve("train-images-idx3-ubyte"), labels, java.nio.file.StandardCopyOption.REPLACE_EXISTING);
        assertRefused(train(), "train-labels-idx1-ubyte");
    }

    @Test
    void wrongShapeOfTheTestImages() throws Exception {
        IdxFiles.writePair(data, "t10k", COUNT, SIDE + 1);
        assertRefused(train(), Integer.toString(SIDE), Integer.toString(SIDE + 1));
    }

    @Test
    void unwritableReport() throws Exception {
        assertRefused(CommandRun.start("train", "--json=" + folder.resolve("no/such/out.json")), "no/such");
        assertRefused(CommandRun.start("train", "--json=" + data), "data", "folder");
        assertRefused(CommandRun.start("train", "--json=/proc/out.json"), "/proc/out.json");
    }

    @Test
    void aDamagedTrace() throws Exception {
        Path traces = folder.resolve("traces");
        String[] options = {"--batch=10", "--iterations=1", "--workers=1", "--trace=" + traces};
        try (CommandRun run = train(options)) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
        }
        Files.delete(json);
        for (Path file : files(traces)) {
            Files.writeString(file, "verbena-trace 1\nend 7\n");
        }
        assertEquals(2, files(traces).size());
        assertRefused(train(options), files(traces).getFirst() + ":2", "remove it");
    }

    @Test
    void factsOfNoData() throws Exception {
        assertRefused(CommandRun.start("task", "--cluster=server:0=127.0.0.1:1", "--task=server:0",
                "--data-facts=28x28"), "--data-facts", "28x28");
        assertRefused(CommandRun.start("task", "--cluster=server:0=127.0.0.1:1", "--task=worker:0",
                "--data-facts=1x28x28,classes=10,train=9,test=9"), "worker:0", "--data");
        assertRefused(CommandRun.start("task", "--cluster=server:0=127.0.0.1:1", "--task=server:0", "--data=" + data,
                "--data-facts=1x28x28,classes=10,train=9,test=9"), "--data-facts", "--data;");
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.sorted().toList();
        }
    }

    @Test
    void portInUse() throws Exception {
        InetAddress local = InetAddress.getByName("127.0.0.1");
        try (ServerSocket taken = new ServerSocket(0, 1, local)) {
            // "Address already in use", in the user's language.
            String inUse = assertThrows(BindException.class, () -> new ServerSocket(taken.getLocalPort(), 1, local))
                    .getMessage();
            assertRefused(train("--workers=1", "--port=" + taken.getLocalPort()),
                    Integer.toString(taken.getLocalPort()), inUse);
            // And of a task that is not the first: the others are up already.
            assertRefused(train("--workers=1", "--port=" + (taken.getLocalPort() - 1)),
                    Integer.toString(taken.getLocalPort()), inUse);
        }
    }

    @Test
    void tooLittleSharedMemory() throws Exception {
        Path small = Files.createDirectory(folder.resolve("small"));
        assumeTrue(call("mount", "-t", "tmpfs", "-o", "size=1m", "verbena-test", small.toString()) == 0,
                "a small tmpfs cannot be mounted here; run as root to have this tested");
        try {
            for (String cluster : List.of("--servers=1 --workers=1", "--servers=3 --workers=3")) {
                assertEquals(0, call("mount", "-o", "remount,size=1m", small.toString()));
                String complaint = assertRefused(trainIn(small, cluster), small.toString(), "need ", "have 1048576");
                // What it says that it needs is enough.
                Matcher need = Pattern.compile("need (\\d+) bytes").matcher(complaint);
                assertTrue(need.find(), complaint);
                assertEquals(0, call("mount", "-o", "remount,size=" + need.group(1), small.toString()));
                try (CommandRun run = trainIn(small, cluster)) {
                    assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
                }
                Files.delete(json);
                try (Stream<Path> files = Files.list(small)) {
                    assertEquals(List.of(), files.toList());
                }
            }
        } finally {
            assertEquals(0, call("umount", small.toString()));
        }
    }

    private CommandRun trainIn(Path sharedMemory, String cluster) {
        List<String> arguments = new ArrayList<>(List.of("train", "--data=" + data, "--batch=10", "--iterations=2",
                "--quiet", "--json=" + json));
        arguments.addAll(List.of(cluster.split(" ")));
        return CommandRun.start(List.of(), Map.of("VERBENA_SHM_DIR", sharedMemory.toString()),
                arguments.toArray(String[]::new));
    }

    @Test
    void noSharedMemoryFolder() throws Exception {
        Path missing = folder.resolve("missing");
        assertRefused(CommandRun.start(List.of(), Map.of("VERBENA_SHM_DIR", missing.toString()), "train",
                "--data=" + data, "--batch=10"), "missing");
    }

    private CommandRun train(String... options) {
        List<String> arguments = Stream
                .concat(Stream.of("train", "--data=" + data, "--json=" + json, "--quiet"), Stream.of(options)).toList();
        return CommandRun.start(arguments.toArray(String[]::new));
    }

    /** @return the complaint */
    private String assertRefused(CommandRun started, String... named) throws Exception {
        try (CommandRun run = started) {
            int status = run.await();
            String errors = run.errors();
            assertEquals(1, errors.lines().count(), errors);
            assertTrue(errors.startsWith("verbena: "), errors);
            assertFalse(OF_JAVA.matcher(errors).find(), errors);
            for (String each : named) {
                assertTrue(errors.contains(each), () -> "'" + each + "' is not named: " + errors);
            }
            assertEquals(ExitStatus.BAD_INPUT, status, errors);
            assertEquals("", run.output());
            assertEquals(List.of(), run.processes());
            assertEquals(List.of(), run.sharedFiles());
            assertFalse(Files.exists(json), "a report of nothing");
            try (Stream<Path> files = Files.list(folder)) {
                assertFalse(files.anyMatch(file -> file.toString().endsWith(".tmp")), "a temporary file is left");
            }
            return errors;
        }
    }

    private static int call(String... command) throws IOException, InterruptedException {
        return new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start().waitFor();
    }
}
