package dev.verbena.cli.launch;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

import dev.verbena.cli.FailedRunException;

/**
 * One process of a launch, with all that it starts: a shell stands between, which ends them when it is told so, or when this JVM is gone.
 *
 * <p>Threading: thread-safe.
 */
final class RankProcess {
    private static final int SIGNAL_BASE = 128;
    private static final int NOT_FOUND = 127;
    private static final long END_SECONDS = 10;

    private final int rank;
    private final RankPlace place;
    private final String name;
    private final Process process;

    private RankProcess(int rank, RankPlace place, String name, Process process) {
        this.rank = rank;
        this.place = place;
        this.name = name;
        this.process = process;
    }

    /** @param ended gets it when it has ended and all that it has printed is passed on */
    static RankProcess start(int rank, RankPlace place, List<String> command, Map<String, String> variables,
            BlockingQueue<RankProcess> ended) {
        try {
            RankProcess process = new RankProcess(rank, place, command.getFirst(),
                    place.prepare(command, variables).start());
            Thread output = process.passOn(process.process.getInputStream(), System.out);
            Thread errors = process.passOn(process.process.getErrorStream(), System.err);
            Thread.ofPlatform().daemon().name("rank " + rank).start(() -> {
                join(output);
                join(errors);
                process.process.onExit().join();
                ended.add(process);
            });
            return process;
        } catch (IOException e) {
            throw new FailedRunException("rank " + rank + " could not be started: " + e.getMessage());
        }
    }

    /** Line by line, so that those of several ranks do not mix. */
    private Thread passOn(InputStream stream, PrintStream to) {
        return Thread.ofPlatform().daemon().name("rank " + rank + " output").start(() -> {
            try (BufferedReader lines = new BufferedReader(new InputStreamReader(stream, StandardCharsets.UTF_8))) {
                for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                    to.println("rank " + rank + ": " + line);
                }
            } catch (IOException _) {
                // The stream breaks when the process does.
            }
        });
    }

    private static void join(Thread thread) {
        try {
            thread.join();
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Ends it and all that it has started; to one that has ended this does nothing. */
    void end() {
        try (OutputStream input = process.getOutputStream()) {
            input.write('\n');
        } catch (IOException _) {
            // It has ended.
        }
        place.told(process);
    }

    void awaitEnd() {
        try {
            if (!process.waitFor(END_SECONDS, TimeUnit.SECONDS)) {
                process.destroyForcibly();
            }
        } catch (InterruptedException _) {
            Thread.currentThread().interrupt();
        }
    }

    /** Of one that has ended; 128 and the signal's number if a signal has ended it. */
    int status() {
        return process.exitValue();
    }

    String describeEnd() {
        int status = status();
        String how = status > SIGNAL_BASE && place.hint(status).isEmpty()
                ? "was ended by signal " + (status - SIGNAL_BASE)
                : "ended with status " + status
                        + (status == NOT_FOUND ? ": is there a command '" + name + "'?" : place.hint(status));
        return "rank " + rank + place.describe() + " " + how;
    }
}
