package dev.verbena.testing.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.verbena.testing.ChildJvm;
import dev.verbena.transfer.RdmaDeviceOptions;

/**
 * A {@link Participant} as its leader has it: in a process of its own, or in a thread.
 *
 * <p><b>Owner:</b> {@link Leader}. <b>Threading:</b> the leader's thread.
 */
public final class Part implements AutoCloseable {
    private static final int PIPE_BYTE_SIZE = 1 << 16;
    private static final String END = "(end)";

    private final PrintStream to;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    /** Null of a thread. */
    private final Process process;

    private Part(OutputStream to, InputStream from, Process process) {
        this.to = new PrintStream(to, true);
        this.process = process;
        Thread.ofPlatform().daemon().name("participant-lines").start(() -> listen(from));
    }

    /** A new process. */
    public static Part process(String fabric) {
        try {
            Process process = ChildJvm.startWithLines(Participant.class, fabric);
            return new Part(process.getOutputStream(), process.getInputStream(), process);
        } catch (IOException e) {
            throw new UncheckedIOException("a process cannot be started", e);
        }
    }

    /** A thread of this process. */
    public static Part thread(RdmaDeviceOptions defaults) {
        try {
            PipedInputStream itsIn = new PipedInputStream(PIPE_BYTE_SIZE);
            PipedOutputStream to = new PipedOutputStream(itsIn);
            PipedInputStream from = new PipedInputStream(PIPE_BYTE_SIZE);
            PipedOutputStream itsOut = new PipedOutputStream(from);
            Thread.ofPlatform().daemon().name("participant").start(() -> {
                try (PrintStream out = new PrintStream(itsOut, true)) {
                    Participant.run(new BufferedReader(new InputStreamReader(itsIn)), out, defaults, false);
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            return new Part(to, from, null);
        } catch (IOException e) {
            throw new UncheckedIOException("pipes cannot be made", e);
        }
    }

    private void listen(InputStream from) {
        try (BufferedReader lines = new BufferedReader(new InputStreamReader(from))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                heard.add(line);
            }
        } catch (IOException e) {
            heard.add("violation " + e);
        }
        heard.add(END);
    }

    void tell(String line) {
        to.println(line);
    }

    /** @throws AssertionError if it says nothing in time, or has ended */
    String hear(long timeoutNs) throws InterruptedException {
        String line = heard.poll(timeoutNs, TimeUnit.NANOSECONDS);
        if (line == null || line.equals(END)) {
            throw new AssertionError(line == null ? "it says nothing: it hangs" : "it has ended");
        }
        return line;
    }

    /** As {@code kill -9} does. */
    void kill() {
        process.destroyForcibly();
    }

    @Override
    public void close() {
        to.close();
        if (process != null) {
            process.destroyForcibly();
        }
    }
}
