package dev.verbena.verbs.examples;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * A program of rdma-core that a test runs beside itself, ended with it.
 *
 * <p>Threading: confined to the test's thread.
 */
final class CProgram implements AutoCloseable {
    private static final long HANG_S = 60;

    private final String[] command;
    private final Path output;
    private final Process process;

    CProgram(String... command) throws IOException {
        this.command = command;
        output = Files.createTempFile("verbena", ".out");
        process = new ProcessBuilder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    }

    boolean isAlive() {
        return process.isAlive();
    }

    String output() throws IOException {
        return Files.readString(output, StandardCharsets.UTF_8);
    }

    /** Waits until it has ended, which it must with status 0, and gives what it printed. */
    String succeed() throws Exception {
        assertTrue(process.waitFor(HANG_S, TimeUnit.SECONDS), "still running: " + String.join(" ", command));
        assertEquals(0, process.exitValue(), () -> String.join(" ", command) + "\n" + outputOrFailure());
        return output();
    }

    private String outputOrFailure() {
        try {
            return output();
        } catch (IOException failed) {
            return failed.toString();
        }
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly();
        Files.delete(output);
    }
}
