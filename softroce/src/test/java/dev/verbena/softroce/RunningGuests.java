package dev.verbena.softroce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/** Guests at work. Owner: the test that started them, which closes them; that ends those still running. */
final class RunningGuests implements AutoCloseable {
    private static final Duration POLL = Duration.ofMillis(50);

    private final Path out;
    private final int hosts;
    private final Path complaints;
    private final Process script;
    private final Runnable atEnd;

    /**
     * @param hosts how many guests the script starts
     * @param atEnd called once, when all have ended and this is closed
     */
    RunningGuests(ProcessBuilder script, Path out, int hosts, Runnable atEnd) throws IOException {
        this.out = out;
        this.hosts = hosts;
        this.atEnd = atEnd;
        complaints = Files.createDirectories(out).resolve("complaints");
        this.script = script.redirectOutput(ProcessBuilder.Redirect.DISCARD).redirectError(complaints.toFile()).start();
    }

    /** What a host, 1 or 2, has printed so far. */
    String output(int host) throws IOException {
        Path output = folder(host).resolve("output");
        return Files.exists(output) ? Files.readString(output) : "";
    }

    /** Waits until a host has printed a text. The script's deadline bounds it. */
    void awaitOutput(int host, String text) throws IOException, InterruptedException {
        while (!output(host).contains(text)) {
            if (!script.isAlive()) {
                throw new AssertionError("host" + host + " ended without text=\"" + text + "\": "
                        + Files.readString(complaints) + output(host));
            }
            Thread.sleep(POLL);
        }
    }

    /** A host fails: at once, without a word to the other. */
    void kill(int host) throws IOException {
        long pid = Long.parseLong(Files.readString(folder(host).resolve("pid")).strip());
        ProcessHandle.of(pid).orElseThrow(() -> new AssertionError("host" + host + " runs no longer"))
                .destroyForcibly();
    }

    /** Waits for the end of all of them. */
    List<GuestRun> await() throws IOException, InterruptedException {
        script.waitFor();
        List<GuestRun> runs = new ArrayList<>();
        for (int host = 1; host <= hosts; host++) {
            runs.add(GuestRun.read(folder(host), Files.readString(complaints)));
        }
        return runs;
    }

    private Path folder(int host) {
        return out.resolve("host-" + host);
    }

    @Override
    public void close() throws IOException {
        script.getOutputStream().close(); // It is attached: its guests end with its input.
        script.onExit().join();
        atEnd.run();
    }
}
