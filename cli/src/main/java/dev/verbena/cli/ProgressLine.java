package dev.verbena.cli;

import java.nio.file.Files;
import java.nio.file.Path;
import java.io.IOException;
import java.io.PrintStream;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;

import dev.verbena.training.Validation;

/**
 * Epoch, loss and images/s over all workers while training runs: one line that is rewritten on a terminal, silence elsewhere, or a
 * line each time where that was asked for.
 *
 * <p>Threading: thread-safe.
 */
final class ProgressLine {
    private static final String CLEAR = "\r\u001b[K";

    /** How it is shown. */
    enum Style {
        /** Nothing at all. */
        QUIET,
        /** No progress; what happens once is said. */
        SILENT, REWRITTEN, LINES
    }

    private final PrintStream out;
    private final Style style;
    private final int iterations;
    private final int iterationsPerEpoch;
    private final Map<String, TaskMessage.Progress> latest = new HashMap<>();
    private boolean isShown;

    ProgressLine(PrintStream out, Style style, int iterations, int iterationsPerEpoch) {
        this.out = out;
        this.style = style;
        this.iterations = iterations;
        this.iterationsPerEpoch = iterationsPerEpoch;
    }

    /** On standard error. */
    static ProgressLine of(Style style, int iterations, int iterationsPerEpoch) {
        return new ProgressLine(System.err, style, iterations, iterationsPerEpoch);
    }

    /** What suits standard error, unless the user said otherwise. */
    static Style style(boolean isQuiet, boolean isForced) {
        if (isQuiet) {
            return Style.QUIET;
        }
        return isTerminal(2) ? Style.REWRITTEN : isForced ? Style.LINES : Style.SILENT;
    }

    synchronized void update(String worker, TaskMessage.Progress progress) {
        if (style == Style.SILENT || style == Style.QUIET) {
            return;
        }
        latest.put(worker, progress);
        out.print(style == Style.LINES ? text() + "\n" : CLEAR + text());
        out.flush();
        isShown = style == Style.REWRITTEN;
    }

    /** What is held out has been measured; the last time that is in the report. */
    synchronized void validated(Validation measured) {
        if (measured.iteration() < iterations && style != Style.QUIET) {
            above(String.format(Locale.ROOT, "epoch %d: %s", measured.iteration() / iterationsPerEpoch,
                    TrainingReport.text(measured)));
        }
    }

    /** A line of something else, which the progress line makes room for. */
    synchronized void above(String line) {
        clear();
        out.println(line);
    }

    /** Makes room for other output. */
    synchronized void clear() {
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
