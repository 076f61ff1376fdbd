package dev.verbena.djl;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/** A Java program of the tests, with their class path, as a child process. */
final class WorkerProcess implements AutoCloseable {
    private final Process process;
    private final Path errors;
    private final BufferedReader output;

    WorkerProcess(Map<String, String> environment, List<String> options, Class<?> program, String... arguments)
            throws IOException {
        List<String> command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
                "-XX:-UsePerfData", "-Dverbena.home=" + System.getProperty("verbena.home")));
        command.addAll(options);
        if (options.stream().noneMatch("-cp"::equals)) {
            command.addAll(List.of("-cp", classPath()));
        }
        command.add(program.getName());
        command.addAll(List.of(arguments));
        errors = Files.createTempFile("worker", ".txt");
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(errors.toFile());
        builder.environment().putAll(environment);
        process = builder.start();
        output = new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
    }

    /** Rank 1 of two; PyTorch lies unpacked where it does for this process. */
    static WorkerProcess rankOne(int port, String... arguments) throws IOException {
        return new WorkerProcess(
                Map.of("RANK", "1", "WORLD_SIZE", "2", "MASTER_ADDR", "127.0.0.1", "MASTER_PORT",
                        Integer.toString(port)),
                List.of("-DPYTORCH_LIBRARY_PATH=" + System.getProperty("PYTORCH_LIBRARY_PATH")), Worker.class,
                arguments);
    }

    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            return socket.getLocalPort();
        }
    }

    String line() throws IOException {
        return output.readLine();
    }

    /** The last line of what it prints; it has ended well. */
    String lastLine() throws IOException, InterruptedException {
        String last = null;
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            last = line;
        }
        assertTrue(process.waitFor(60, TimeUnit.SECONDS), "it ends");
        assertEquals(0, process.exitValue(), this::errors);
        return last;
    }

    String errors() {
        try {
            return Files.readString(errors);
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() throws IOException {
        process.destroyForcibly().onExit().join();
        Files.deleteIfExists(errors);
    }
}
