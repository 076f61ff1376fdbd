package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/**
 * The tests of {@code arrow-memory-core} and {@code arrow-vector} as the Arrow project has published them: over memory of an arena the same fail as
 * over Arrow's own. Those are some hundred, since nothing opens {@code java.nio} to Arrow here; the guide says what that takes from it.
 */
@Timeout(value = 10, unit = TimeUnit.MINUTES)
class PublishedTestsTest {
    private static final long PROCESS_MINUTES_MAX = 4;

    @TempDir
    private Path folder;

    @Test
    void ofAllocatorsAllPassOverAnArena() throws Exception {
        Results results = run("arena", "arrow-memory-core-");
        assertEquals(Set.of(), results.failed());
        assertTrue(results.passed().size() >= 100, results.toString());
        assertTrue(results.arenaPeakByteSize() > 0, "their allocators have memory of the arena");
    }

    @Test
    void ofVectorsTheSameFailOverAnArenaAsOverArrowsOwnMemory() throws Exception {
        Results own = run("own", "arrow-vector-");
        Results arena = run("arena", "arrow-vector-");
        assertEquals(own, new Results(0, arena.passed(), arena.failed()));
        assertTrue(arena.passed().size() >= 1000, arena.toString());
        assertTrue(arena.arenaPeakByteSize() > 0, "their allocators have memory of the arena");
    }

    private record Results(long arenaPeakByteSize, Set<String> passed, Set<String> failed) {
        private static Results read(Path file) throws IOException {
            List<String> lines = Files.readAllLines(file);
            return new Results(Long.parseLong(lines.getFirst()), begin(lines, PublishedTestsProcess.PASSED),
                    begin(lines, PublishedTestsProcess.FAILED));
        }

        private static Set<String> begin(List<String> lines, String with) {
            return lines.stream().filter(line -> line.startsWith(with)).collect(Collectors.toCollection(TreeSet::new));
        }
    }

    private Results run(String memory, String artifact) throws Exception {
        Path jars = Path.of(System.getProperty("verbena.home"), "integrations/arrow/target/published-tests");
        Path tests;
        String classPath;
        try (Stream<Path> files = Files.list(jars)) {
            // Before all others: some look into the log, by a library of their own.
            List<Path> all = files.sorted(Comparator.comparing(Path::toString)).toList();
            tests = all.stream().filter(jar -> jar.getFileName().toString().startsWith(artifact)).findFirst()
                    .orElseThrow();
            classPath = Stream
                    .concat(all.stream().map(Path::toString), Stream
                            .of(System.getProperty("java.class.path").split(File.pathSeparator))
                            .filter(entry -> !entry.contains("slf4j-simple")))
                    .collect(Collectors.joining(File.pathSeparator));
        }
        Path results = folder.resolve("results");
        Path output = folder.resolve("output");
        Files.createDirectories(folder.resolve("target")); // Some write there.
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-Xmx2g",
                "-Djava.io.tmpdir=" + folder, "-Darrow.vector.max_allocation_bytes=1048576", "-cp", classPath,
                PublishedTestsProcess.class.getName(), memory, tests.toString(), results.toString())
                .directory(folder.toFile()).redirectErrorStream(true).redirectOutput(output.toFile()).start();
        try {
            assertTrue(process.waitFor(PROCESS_MINUTES_MAX, TimeUnit.MINUTES), "the tests end");
        } finally {
            process.destroyForcibly();
        }
        String said = Files.readString(output);
        assertEquals(0, process.exitValue(), () -> said.substring(Math.max(0, said.length() - 2000)));
        return Results.read(results);
    }
}
