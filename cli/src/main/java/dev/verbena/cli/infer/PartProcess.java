package dev.verbena.cli.infer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.FailedRunException;
import dev.verbena.cli.RecordLines;

/** One part as a child process: lines go in, lines come out; what it says on standard error is passed on. It ends when its input does. */
final class PartProcess implements AutoCloseable {
    private static final long END_SECONDS = 10;

    private final String name;
    private final Process process;
    /** Empty at its end. */
    private final BlockingQueue<Optional<PartMessage>> messages = new LinkedBlockingQueue<>();

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
                PartMessage message = RecordLines.read(PartMessage.class, line);
                if (message == null) {
                    System.err.println(name + ": " + line);
                } else {
                    messages.add(Optional.of(message));
                }
            }
        } catch (IOException _) {
            // The stream breaks when the process does.
        }
        messages.add(Optional.empty());
    }

    /** The next that it says, which is that. @throws FailedRunException if it ends first, or says nothing for so long */
    <T extends PartMessage> T await(Class<T> message, long timeoutSeconds) {
        String what = message.getSimpleName().toLowerCase(Locale.ROOT);
        try {
            Optional<PartMessage> next = messages.poll(timeoutSeconds, TimeUnit.SECONDS);
            if (next == null) {
                throw new FailedRunException(title() + " is not " + what + " after " + timeoutSeconds + " s");
            }
            return next.filter(message::isInstance).map(message::cast).orElseThrow(() -> endedBefore(what));
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
            throw new FailedRunException("interrupted");
        }
    }

    private FailedRunException endedBefore(String what) {
        awaitEnd();
        return new FailedRunException(title() + " ended before it was " + what
                + (process.isAlive() ? "" : ", with status " + process.exitValue()));
    }

    /** To one that is gone already this does nothing: {@link #await} tells. */
    void order(PartOrder order) {
        try {
            OutputStream input = process.getOutputStream();
            input.write((RecordLines.write(order) + "\n").getBytes(StandardCharsets.UTF_8));
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
