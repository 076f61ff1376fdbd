package dev.verbena.benchmarks;

import java.io.BufferedReader;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * A program that runs, and what it says; it is ended if it does not end.
 *
 * <p><b>Owner:</b> who starts it. <b>Threading:</b> confined to its owner.
 */
public final class Program implements AutoCloseable {
    /** The first one may have to be built. */
    private static final long PATIENCE_MINUTES = 10;

    /** Property that says where the script of ours is. */
    private static final String VERBENA = "verbena.command";

    private final String name;
    private final Process process;
    private final BufferedReader output;

    private Program(String name, Process process) {
        this.name = name;
        this.process = process;
        output = process.inputReader();
    }

    /** The command line of {@code ./verbena} with these arguments. */
    public static List<String> verbena(String... arguments) {
        String script = System.getProperty(VERBENA);
        if (script == null) {
            throw new IllegalStateException("-D" + VERBENA + " is not set: start it by ./verbena bench");
        }
        return Stream.concat(Stream.of(script), Stream.of(arguments)).toList();
    }

    /** With these variables besides those of this process. */
    public static Program start(Map<String, String> environment, List<String> command) throws IOException {
        ProcessBuilder builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().putAll(environment);
        Process process = builder.start();
        CompletableFuture.delayedExecutor(PATIENCE_MINUTES, TimeUnit.MINUTES).execute(process::destroyForcibly);
        return new Program(name(command), process);
    }

    /** Of a JVM without what only it reads, which is long. */
    private static String name(List<String> command) {
        int classPath = command.indexOf("-cp");
        return String.join(" ", classPath < 0 ? command : command.subList(classPath + 2, command.size()));
    }

    /** Waits for a line in which it is found. @return its first group */
    public String await(Pattern pattern) throws IOException {
        for (String line = output.readLine(); line != null; line = output.readLine()) {
            Matcher matcher = pattern.matcher(line);
            if (matcher.find()) {
                return matcher.group(1);
            }
        }
        throw new IllegalStateException("'" + name + "' has ended before it said '" + pattern + "'");
    }

    /** A line for its standard input. */
    public void tell(String line) throws IOException {
        process.outputWriter().append(line).append('\n').flush();
    }

    /** What it says until it ends. */
    public List<String> rest() {
        return output.lines().toList();
    }

    /** Its exit status, when it has ended. */
    public int status() throws InterruptedException {
        return process.waitFor();
    }

    /** @throws IllegalStateException if it ends with another status than 0 */
    public void succeed() throws InterruptedException {
        List<String> lines = rest();
        if (status() != 0) {
            throw failure(lines);
        }
    }

    public IllegalStateException failure(List<String> lines) {
        return new IllegalStateException("'" + name + "' has ended with status=" + process.exitValue() + ": "
                + (lines.isEmpty() ? "its standard error may say more" : lines.getLast()));
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
