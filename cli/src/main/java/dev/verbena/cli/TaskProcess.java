package dev.verbena.cli;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * One task as a child process: orders go in, messages come out, the exit is the last of them. Its death is told exactly once,
 * after everything that it had still said.
 *
 * <p>Owner: the launcher. Threading: thread-safe; events are told on a thread of the process's own.
 */
final class TaskProcess {
    /** What the launcher hears of a task; the message is null when it has ended. */
    record Event(TaskProcess task, TaskMessage message) {}

    private static final int SIGNAL_BASE = 128;

    private final String name;
    private final Process process;
    private final Consumer<String> others;

    private TaskProcess(String name, Process process, Consumer<String> others) {
        this.name = name;
        this.process = process;
        this.others = others;
    }

    /**
     * @param events called on a thread of the process's own
     * @param others hears each line that the task prints and that is no message; likewise
     */
    static TaskProcess start(String name, List<String> command, Consumer<Event> events, Consumer<String> others) {
        ProcessBuilder builder = new ProcessBuilder(command);
        // Processes share the cores already; a BLAS with threads of its own would only fight with the others.
        builder.environment().put("OPENBLAS_NUM_THREADS", "1");
        Process process;
        try {
            process = builder.start();
        } catch (IOException e) {
            throw new FailedRunException(name + " could not be started: " + e.getMessage());
        }
        TaskProcess task = new TaskProcess(name, process, others);
        Thread errors = Thread.ofPlatform().daemon().name(name + "-stderr").start(task::passErrorsOn);
        Thread.ofPlatform().daemon().name(name + "-stdout").start(() -> task.pump(events, errors));
        return task;
    }

    String name() {
        return name;
    }

    /** Such as {@code worker:1 (pid 4711)}. */
    String title() {
        return name + " (pid " + process.pid() + ")";
    }

    /** Sends an order; to a task that is gone already this does nothing, its end being told anyway. */
    synchronized void order(LauncherOrder order) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((RecordLines.write(order) + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException _) {
            // A broken pipe: the reader of its output finds the end of it.
        }
    }

    boolean isAlive() {
        return process.isAlive();
    }

    /** With SIGKILL. A task keeps nothing that the kernel does not take back by itself. */
    void kill() {
        process.destroyForcibly();
    }

    /** @return whether it has ended within that time */
    boolean awaitEnd(long timeoutMillis) {
        try {
            return process.waitFor(timeoutMillis, TimeUnit.MILLISECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            return !process.isAlive();
        }
    }

    /** The exit status of a task that has ended. */
    int status() {
        return process.exitValue();
    }

    /** How it ended, as a sentence. */
    String describeEnd() {
        int status = process.exitValue();
        return title() + (status > SIGNAL_BASE
                ? " was killed by signal " + (status - SIGNAL_BASE)
                : " ended with status " + status + " before it was done");
    }

    private void pump(Consumer<Event> events, Thread errors) {
        try (BufferedReader lines = reader(process.getInputStream())) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                TaskMessage message = RecordLines.read(TaskMessage.class, line);
                if (message == null) {
                    passOn(line);
                } else {
                    events.accept(new Event(this, message));
                }
            }
        } catch (IOException _) {
            // The stream breaks when the process does.
        }
        try {
            errors.join();
            process.waitFor();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
        events.accept(new Event(this, null));
    }

    private void passErrorsOn() {
        try (BufferedReader lines = reader(process.getErrorStream())) {
            lines.lines().forEach(this::passOn);
        } catch (IOException | java.io.UncheckedIOException _) {
            // As above.
        }
    }

    private void passOn(String line) {
        others.accept(name + ": " + line);
    }

    private static BufferedReader reader(InputStream stream) {
        return new BufferedReader(new java.io.InputStreamReader(stream, StandardCharsets.UTF_8));
    }
}
