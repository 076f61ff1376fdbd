package dev.verbena.onnxruntime.library;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OrtLibraryTest {
    @Test
    void nothingOfTheLibraryStaysInTheTemporaryFolder() throws IOException {
        assertSame(OrtLibrary.environment(), OrtLibrary.environment());
        String maps = Files.readString(Path.of("/proc/self/maps"));
        List<String> mapped = maps.lines().filter(line -> line.contains("libonnxruntime.so")).toList();
        assertTrue(!mapped.isEmpty(), maps);
        for (String line : mapped) {
            Path file = Path.of(line.substring(line.indexOf('/')).replace(" (deleted)", ""));
            assertTrue(!Files.exists(file) && !Files.exists(file.getParent()), line);
        }
    }

    /** The loader's own way would leave an empty folder. */
    @Test
    void norWhenTheProcessHasEnded(@TempDir Path temporary) throws Exception {
        assertEquals(List.of("[]"), left(temporary, Environment.class));
        assertTrue(left(temporary, LoadersOwn.class).getFirst().contains("onnxruntime-java"),
                "what is checked is what the loader does");
    }

    @Test
    void whyItCannotBeLoadedIsSaid(@TempDir Path temporary) throws Exception {
        Files.writeString(temporary.resolve("libonnxruntime.so"), "no library");
        List<String> lines = run(temporary, Environment.class, "-Donnxruntime.native.path=" + temporary);
        assertTrue(
                lines.stream().anyMatch(line -> line.contains("java.lang.UnsatisfiedLinkError: ONNX Runtime cannot be"
                        + " loaded on Linux ")),
                lines::toString);
    }

    private static List<String> left(Path temporary, Class<?> program) throws IOException, InterruptedException {
        assertEquals(List.of("loaded"), run(temporary, program));
        try (Stream<Path> files = Files.list(temporary)) {
            return List.of(files.map(file -> file.getFileName().toString()).toList().toString());
        }
    }

    private static List<String> run(Path temporary, Class<?> program, String... options)
            throws IOException, InterruptedException {
        List<String> command = Stream.of(Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1", "-XX:-UsePerfData",
                "-Djava.io.tmpdir=" + temporary, "-cp",
                System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"))),
                Stream.of(options), Stream.of(program.getName())).flatMap(each -> each).toList();
        Path output = File.createTempFile("output", ".txt").toPath();
        try {
            Process process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile())
                    .start();
            assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it ends");
            return Files.readAllLines(output);
        } finally {
            Files.delete(output);
        }
    }

    static final class Environment {
        public static void main(String[] arguments) {
            OrtLibrary.environment();
            System.out.println("loaded");
        }
    }

    static final class LoadersOwn {
        public static void main(String[] arguments) {
            ai.onnxruntime.OrtEnvironment.getEnvironment();
            System.out.println("loaded");
        }
    }
}
