package dev.verbena.testing.program;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.verbena.testing.ChildJvm;

/**
 * A {@link Participant} as its leader has it: in a process of its own.
 *
 * <p><b>Owner:</b> {@link Leader}. <b>Threading:</b> the leader's thread.
 */
public final class Part implements AutoCloseable {
    private static final String END = "(end)";

    private final PrintStream to;
    private final BlockingQueue<String> heard = new LinkedBlockingQueue<>();
    private final Process process;

    Part(String fabric) {
        try {
            process = ChildJvm.startWithLines(Participant.class, fabric);
        } catch (IOException e) {
            throw new UncheckedIOException("a process cannot be started", e);
        }
        to = new PrintStream(process.getOutputStream(), true);
        Thread.ofPlatform().daemon().name("participant-lines").start(this::listen);
    }

    private void listen() {
        try (BufferedReader lines = process.inputReader()) {
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
            throw new AssertionError(line == null ? "it says nothing for " + timeoutNs / 1_000_000_000 + " s: it hangs"
                    : "it has ended");
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
        process.destroyForcibly();
    }
}
