package dev.verbena.cli;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Map;

import dev.verbena.page.WholeFile;

/**
 * A file that a command writes at its end, as that of {@code --json}: there as a whole or not at all.
 *
 * <p><b>Owner:</b> the command. <b>Threading:</b> immutable.
 */
public final class ReportFile {
    private final WholeFile file;

    private ReportFile(WholeFile file) {
        this.file = file;
    }

    /** Of {@code --json}. */
    public static ReportFile check(Path given) {
        return check("--json", given);
    }

    /** Finds out before the run whether it will be possible to write it, and leaves no trace of that. */
    public static ReportFile check(String option, Path given) {
        try {
            return new ReportFile(WholeFile.check(option, given));
        } catch (IllegalArgumentException e) {
            throw new BadInputException(e.getMessage());
        }
    }

    public void write(Map<String, ?> report) {
        write(JsonText.pretty(report));
    }

    public void write(String report) {
        try {
            file.write(report);
        } catch (IOException e) {
            throw new FailedRunException(e.getMessage());
        }
    }
}
