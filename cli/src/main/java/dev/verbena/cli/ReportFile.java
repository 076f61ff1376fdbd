package dev.verbena.cli;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Map;

/**
 * A file that a command writes at its end, as that of {@code --json}: there as a whole or not at all.
 *
 * <p><b>Owner:</b> the command. <b>Threading:</b> immutable.
 */
public final class ReportFile {
    private final String option;
    private final Path path;

    private ReportFile(String option, Path path) {
        this.option = option;
        this.path = path;
    }

    /** Of {@code --json}. */
    public static ReportFile check(Path given) {
        return check("--json", given);
    }

    /** Finds out before the run whether it will be possible to write it, and leaves no trace of that. */
    public static ReportFile check(String option, Path given) {
        Path path = given.toAbsolutePath().normalize();
        try {
            if (Files.exists(path)) {
                path = path.toRealPath();
            }
            if (Files.isDirectory(path)) {
                throw new BadInputException(option + "=" + given + " is a folder; give a file");
            }
            if (isSpecial(path)) {
                if (!Files.isWritable(path)) {
                    throw new BadInputException(option + "=" + given + " cannot be written");
                }
            } else {
                Files.delete(temporary(path));
            }
            return new ReportFile(option, path);
        } catch (IOException e) {
            throw new BadInputException(option + "=" + given + " cannot be written: " + reason(path, e)
                    + "; give a file in a folder that exists and can be written to");
        }
    }

    public void write(Map<String, ?> report) {
        write(JsonLines.pretty(report));
    }

    public void write(String report) {
        try {
            byte[] text = report.getBytes(StandardCharsets.UTF_8);
            if (isSpecial(path)) {
                Files.write(path, text);
                return;
            }
            Path temporary = temporary(path);
            try {
                Files.write(temporary, text);
                Files.move(temporary, path, StandardCopyOption.ATOMIC_MOVE);
            } finally {
                Files.deleteIfExists(temporary);
            }
        } catch (IOException e) {
            throw new FailedRunException("the run is done, but " + option + "=" + path + " could not be written: "
                    + reason(path, e));
        }
    }

    /** A pipe or a device such as /dev/stdout: nothing that one could rename a file to. */
    private static boolean isSpecial(Path path) {
        return Files.exists(path) && !Files.isRegularFile(path);
    }

    private static Path temporary(Path path) throws IOException {
        return Files.createFile(
                path.resolveSibling("." + path.getFileName() + "." + ProcessHandle.current().pid() + ".tmp"));
    }

    private static String reason(Path path, IOException e) {
        Path folder = path.getParent();
        if (folder != null && !Files.isDirectory(folder)) {
            return "there is no folder " + folder;
        }
        return e instanceof java.nio.file.FileSystemException system && system.getReason() != null
                ? system.getReason()
                : e.getClass().getSimpleName();
    }
}
