package dev.verbena.stress;

import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A JVM of its own, on this one's class path. */
public final class JavaProcess {
    /** Where the module's files are, such as run. */
    public static final Path MODULE = Path.of(System.getProperty("verbena.home"), "stress");

    /** Of one of them; a test that starts several has as many times as long. */
    public static final long TIMEOUT_S = 900;

    /** How it ended, and what it printed on both of its outputs. */
    public record End(int status, String output) {}

    private JavaProcess() {}

    /** {@code folder} is where it runs; its output is there too, in the file log. */
    public static End run(Path folder, String classPath, String... arguments) throws IOException, InterruptedException {
        Path log = folder.resolve("log");
        List<String> command = new ArrayList<>(
                List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp", classPath));
        command.addAll(Arrays.asList(arguments));
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(log.toFile()).start();
        try {
            assertTrue(process.waitFor(TIMEOUT_S, TimeUnit.SECONDS), () -> "still running: " + command);
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly().waitFor();
        }
        return new End(process.exitValue(), Files.readString(log));
    }
}
