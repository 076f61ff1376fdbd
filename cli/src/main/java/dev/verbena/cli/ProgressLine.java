package dev.verbena.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

/** One line that is rewritten while training runs: epoch, loss and images/s over all workers. Silent where nobody watches. */
final class ProgressLine {
    private static final String CLEAR = "\r\u001b[K";

    private final PrintStream out;
    private final int iterations;
    private final int iterationsPerEpoch;
    private final Map<String, TaskMessage.Progress> latest = new HashMap<>();
    private boolean isShown;

    /** @param out null to stay silent */
    ProgressLine(PrintStream out, int iterations, int iterationsPerEpoch) {
        this.out = out;
        this.iterations = iterations;
        this.iterationsPerEpoch = iterationsPerEpoch;
    }

    /** Standard error, if it is a terminal and the user wants to see anything. */
    static ProgressLine onTerminal(boolean isQuiet, int iterations, int iterationsPerEpoch) {
        return new ProgressLine(!isQuiet && isTerminal(2) ? System.err : null, iterations, iterationsPerEpoch);
    }

    void update(String worker, TaskMessage.Progress progress) {
        if (out == null) {
            return;
        }
        latest.put(worker, progress);
        out.print(CLEAR + text());
        out.flush();
        isShown = true;
    }

    /** Makes room for other output. */
    void clear() {
        if (isShown) {
            out.print(CLEAR);
            out.flush();
            isShown = false;
        }
    }

    private String text() {
        int iteration = latest.values().stream().mapToInt(TaskMessage.Progress::iteration).min().orElse(0);
        double loss = latest.values().stream().mapToDouble(TaskMessage.Progress::loss).average().orElse(Double.NaN);
        double rate = latest.values().stream().mapToDouble(TaskMessage.Progress::imagesPerSecond).sum();
        int epochs = (iterations + iterationsPerEpoch - 1) / iterationsPerEpoch;
        return String.format(Locale.ROOT, "epoch %d/%d  iteration %d/%d  loss %.4f  %,.0f images/s",
                Math.min(iteration / iterationsPerEpoch + 1, epochs), epochs, iteration + 1, iterations, loss, rate);
    }

    /** Whether the file descriptor is a terminal: its link in proc(5) names the terminal's device. */
    private static boolean isTerminal(int descriptor) {
        try {
            String target = Files.readSymbolicLink(Path.of("/proc/self/fd/" + descriptor)).toString();
            return target.startsWith("/dev/pts/") || target.startsWith("/dev/tty") || target.equals("/dev/console");
        } catch (IOException _) {
            return false;
        }
    }
}
