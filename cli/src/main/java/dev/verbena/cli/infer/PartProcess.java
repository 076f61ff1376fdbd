package dev.verbena.cli.infer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.JsonLines;

/** One part as a child process: lines go in, lines come out; what it says on standard error is passed on. It ends when its input does. */
final class PartProcess implements AutoCloseable {
    private static final long END_SECONDS = 10;
    private static final Map<String, Object> ENDED = Map.of("event", "ended");

    private final String name;
    private final Process process;
    private final BlockingQueue<Map<String, Object>> events = new LinkedBlockingQueue<>();

    private PartProcess(String name, Process process) {
        this.name = name;
        this.process = process;
    }

    static PartProcess start(String name, List<String> command) {
        try {
            Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
            PartProcess part = new PartProcess(name, process);
            Thread.ofPlatform().daemon().name(name).start(part::pump);
            return part;
        } catch (IOException e) {
            throw new FailedRunException(name + " could not be started: " + e.getMessage());
        }
    }

    private void pump() {
        InputStream output = process.getInputStream();
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(output, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                Map<String, Object> event = JsonLines.read(line);
                if (event == null) {
                    System.err.println(name + ": " + line);
                } else {
                    events.add(event);
                }
            }
        } catch (IOException _) {
            // The stream breaks when the process does.
        }
        events.add(ENDED);
    }

    /** The next that it says, which is that. @throws FailedRunException if it ends first, or says nothing for so long */
    Map<String, Object> await(String event, long timeoutSeconds) {
        try {
            Map<String, Object> next = events.poll(timeoutSeconds, TimeUnit.SECONDS);
            if (next == null) {
                throw new FailedRunException(title() + " is not " + event + " after " + timeoutSeconds + " s");
            }
            if (!event.equals(next.get("event"))) {
                process.waitFor(END_SECONDS, TimeUnit.SECONDS);
                throw new FailedRunException(title() + " ended before it was " + event
                        + (process.isAlive() ? "" : ", with status " + process.exitValue()));
            }
            return next;
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted");
        }
    }

    /** To one that is gone already this does nothing: {@link #await} tells. */
    void order(Map<String, ?> order) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((JsonLines.write(order) + "\n").getBytes(StandardCharsets.UTF_8));
            input.flush();
        } catch (IOException _) {
            // A broken pipe.
        }
    }

    private String title() {
        return name + " (pid " + process.pid() + ")";
    }

    /** Waits for its end, if it has been told to stop; after that, or else at once, it is made to. */
    void awaitEnd() {
        try {
            process.waitFor(END_SECONDS, TimeUnit.SECONDS);
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        process.destroyForcibly();
    }
}
