package dev.verbena.softroce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/**
 * How a command ended in a guest.
 *
 * @param status its own, or 124 where it took too long, 125 where the guest failed, 128 + signal where the guest was killed
 * @param output what it printed to standard output and standard error
 * @param complaint what the softroce script had to say about the run; empty where the command ended by itself
 */
record GuestRun(int status, String output, String complaint) {
    private static final int LAST_LINES = 40;

    /** What is in a guest's folder. A script that ended before there was a guest says why. */
    static GuestRun read(Path folder, String complaint) throws IOException {
        Path status = folder.resolve("status");
        if (!Files.exists(status)) {
            return new GuestRun(125, "", complaint);
        }
        return new GuestRun(Integer.parseInt(Files.readString(status).strip()),
                Files.readString(folder.resolve("output")), complaint);
    }

    /** @throws AssertionError with its last lines, where it failed */
    GuestRun assertSucceeded() {
        if (status != 0) {
            throw new AssertionError("status=" + status + " in the guest. " + complaint + lastLines());
        }
        return this;
    }

    String lastLines() {
        List<String> lines = output.lines().toList();
        return "Its last lines:\n"
                + String.join("\n", lines.subList(Math.max(0, lines.size() - LAST_LINES), lines.size()));
    }
}
