package dev.verbena.transfer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Groups whose members real launchers start, where they are installed. */
@Timeout(170)
class LaunchersTest {
    private static final int RANKS = 3;
    private static final String LOST = "1";
    private static final List<String> MPIRUN = List.of("mpirun", "--allow-run-as-root", "--oversubscribe", "-n",
            Integer.toString(RANKS));
    private static final List<String> SRUN = List.of("srun", "--kill-on-bad-exit=1", "-n", Integer.toString(RANKS));

    @TempDir
    private Path folder;

    private record Run(int status, String output) {}

    @Test
    void ranksOfOpenMpiAreAGroup() throws Exception {
        needs(List.of("mpirun"));
        assertSums(run(new ProcessBuilder(member(MPIRUN))));
    }

    @Test
    void aLostRankEndsTheJobOfOpenMpi() throws Exception {
        needs(List.of("mpirun"));
        Run run = run(new ProcessBuilder(member(MPIRUN, LOST)));
        assertNotEquals(0, run.status);
        assertTrue(
                Pattern.compile("Process name: \\[.*," + LOST + "\\]\\s+Exit code:\\s+3\\s").matcher(run.output).find(),
                run.output);
    }

    @Test
    void tasksOfSlurmAreAGroupAndALostOneEndsTheStep() throws Exception {
        needs(SlurmCluster.PROGRAMS);
        Path home = Files.createDirectories(folder.resolve("slurm"));
        try (SlurmCluster cluster = SlurmCluster.start(home, RANKS)) {
            assertSums(run(cluster.command(member(SRUN))));
            Run run = run(cluster.command(member(SRUN, LOST)));
            assertNotEquals(0, run.status);
            assertTrue(run.output.contains("task " + LOST + ": Exited with exit code 3"), run.output);
        }
    }

    private static void needs(List<String> programs) {
        for (String program : programs) {
            boolean isThere = Stream.of(System.getenv("PATH").split(File.pathSeparator))
                    .anyMatch(path -> Files.isExecutable(Path.of(path, program)));
            assumeTrue(isThere, "needs " + program + ", which is not installed");
        }
    }

    private static List<String> member(List<String> launcher, String... arguments) {
        List<String> command = new ArrayList<>(launcher);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData", "-cp", System.getProperty("java.class.path"), LaunchedMember.class.getName()));
        command.addAll(List.of(arguments));
        return command;
    }

    private Run run(ProcessBuilder builder) throws IOException, InterruptedException {
        Path output = folder.resolve("output");
        Process process = builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(150, TimeUnit.SECONDS), () -> "it does not end: " + text(output));
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Run(process.exitValue(), text(output));
    }

    private static String text(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }

    private static void assertSums(Run run) {
        assertEquals(0, run.status, run.output);
        List<String> sums = run.output.lines().filter(line -> line.startsWith("rank ")).sorted().toList();
        assertEquals(List.of("rank 0 of 3: 6.0", "rank 1 of 3: 6.0", "rank 2 of 3: 6.0"), sums, run.output);
    }
}
