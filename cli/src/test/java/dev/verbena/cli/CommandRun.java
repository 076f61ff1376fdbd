package dev.verbena.cli;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A run of the command as a process of its own, with a shared memory folder of its own. All processes that come of it carry a mark
 * in their environment, so that none can hide, whoever its parent is by now.
 */
final class CommandRun implements AutoCloseable {
    private static final String MARK = "VERBENA_TEST_RUN";
    private static final long LIMIT_SECONDS = 120;
    private static final Pattern WORD_OF_WAITING = Pattern.compile("^(?:\\w+:\\d+: )?still .+, for \\d+ s.*\\R",
            Pattern.MULTILINE);

    private final String mark = UUID.randomUUID().toString();
    private final Path folder;
    private final Path sharedMemory;
    private final Process process;

    private CommandRun(List<String> prefix, Map<String, String> environment, String... arguments) throws IOException {
        folder = Files.createTempDirectory("verbena-run-");
        Path shm = Path.of("/dev/shm");
        sharedMemory = Files.createTempDirectory(Files.isWritable(shm) ? shm : folder, "verbena-test-");
        List<String> command = new ArrayList<>(prefix);
        command.addAll(List.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1",
                "-cp", classPath(), Verbena.class.getName()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectOutput(folder.resolve("stdout").toFile()).redirectError(folder.resolve("stderr").toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("VERBENA_"));
        builder.environment().put(MARK, mark);
        builder.environment().put("VERBENA_SHM_DIR", sharedMemory.toString());
        builder.environment().putAll(environment);
        process = builder.start();
        process.getOutputStream().close();
    }

    static CommandRun start(String... arguments) {
        return start(List.of(), Map.of(), arguments);
    }

    /** @param prefix a command that runs the command */
    static CommandRun start(List<String> prefix, Map<String, String> environment, String... arguments) {
        try {
            return new CommandRun(prefix, environment, arguments);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Also where tests run from a jar that only names the others. */
    static String classPath() {
        return System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
    }

    /** Waits for its end. @return its status */
    int await() throws InterruptedException {
        if (!process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS)) {
            throw new AssertionError("still running after " + LIMIT_SECONDS + " s: " + errors());
        }
        return process.exitValue();
    }

    Process process() {
        return process;
    }

    /** All that was printed to standard error so far, but for words of waiting: whether there are any depends on how busy this machine is. */
    String errors() {
        return WORD_OF_WAITING.matcher(read("stderr")).replaceAll("");
    }

    String output() {
        return read("stdout");
    }

    /** What is left in shared memory. */
    List<String> sharedFiles() throws IOException {
        try (Stream<Path> files = Files.list(sharedMemory)) {
            return files.map(Path::toString).toList();
        }
    }

    /** Its living tasks by name, from their command lines. */
    Map<String, ProcessHandle> tasks() {
        Map<String, ProcessHandle> tasks = new TreeMap<>();
        for (ProcessHandle handle : processes()) {
            for (String argument : readProc(handle.pid(), "cmdline").split("\0")) {
                if (argument.startsWith("--task=")) {
                    tasks.put(argument.substring("--task=".length()), handle);
                }
            }
        }
        return tasks;
    }

    /** Every living process that came of this run. */
    List<ProcessHandle> processes() {
        String entry = MARK + "=" + mark;
        return ProcessHandle.allProcesses().filter(handle -> readProc(handle.pid(), "environ").contains(entry))
                .toList();
    }

    /** Waits until no process is left. @return those that are left after that time */
    List<ProcessHandle> awaitNoProcess(long seconds) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
        List<ProcessHandle> left = processes();
        while (!left.isEmpty() && System.nanoTime() < deadlineNs) {
            TimeUnit.MILLISECONDS.sleep(20);
            left = processes();
        }
        return left;
    }

    @Override
    public void close() throws IOException {
        processes().forEach(ProcessHandle::destroyForcibly);
        for (Path each : List.of(sharedMemory, folder)) {
            if (Files.exists(each)) {
                delete(each);
            }
        }
    }

    private static void delete(Path folder) throws IOException {
        try (DirectoryStream<Path> entries = Files.newDirectoryStream(folder)) {
            for (Path entry : entries) {
                if (Files.isDirectory(entry)) {
                    delete(entry);
                } else {
                    Files.deleteIfExists(entry);
                }
            }
        }
        Files.deleteIfExists(folder);
    }

    private String read(String name) {
        try {
            return Files.readString(folder.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static String readProc(long pid, String file) {
        try {
            return new String(Files.readAllBytes(Path.of("/proc", Long.toString(pid), file)), StandardCharsets.UTF_8);
        } catch (IOException _) {
            return ""; // It ended meanwhile, or is another user's.
        }
    }
}
