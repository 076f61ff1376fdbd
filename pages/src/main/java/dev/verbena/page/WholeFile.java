package dev.verbena.page;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A file that a run writes at its end: there as a whole or not at all.
 *
 * <p><b>Owner:</b> the run. <b>Threading:</b> immutable.
 */
public final class WholeFile {
    private final String option;
    private final Path path;

    private WholeFile(String option, Path path) {
        this.option = option;
        this.path = path;
    }

    /**
     * Finds out before the run whether it will be possible to write it, and leaves no trace of that.
     *
     * @param option by which the user gave it, for messages
     * @throws IllegalArgumentException if it cannot be written; it says why, and what to give
     */
    public static WholeFile check(String option, Path given) {
        Path path = given.toAbsolutePath().normalize();
        try {
            if (Files.exists(path)) {
                path = path.toRealPath();
            }
            if (Files.isDirectory(path)) {
                throw new IllegalArgumentException(option + "=" + given + " is a folder; give a file");
            }
            if (isSpecial(path)) {
                if (!Files.isWritable(path)) {
                    throw new IllegalArgumentException(option + "=" + given + " cannot be written");
                }
            } else {
                Files.delete(temporary(path));
            }
            return new WholeFile(option, path);
        } catch (IOException e) {
            throw new IllegalArgumentException(option + "=" + given + " cannot be written: " + reason(path, e)
                    + "; give a file in a folder that exists and can be written to", e);
        }
    }

    /** @throws IOException if that failed all the same; its message says what and why */
    public void write(String content) throws IOException {
        try {
            byte[] text = content.getBytes(StandardCharsets.UTF_8);
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
            throw new IOException("the run is done, but " + option + "=" + path + " could not be written: "
                    + reason(path, e), e);
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
        return FileTrouble.of(e);
    }
}
