package dev.verbena.softroce;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/** A run of the softroce script, or of a copy of it, in an environment of the test's own. */
record ScriptRun(int status, String output, String errors) {
    static final Path SCRIPT = Guests.HOME.resolve("softroce/softroce");

    static ScriptRun of(Path folder, Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Process process = start(folder, environment, arguments);
        int status = process.waitFor();
        return new ScriptRun(status, Files.readString(folder.resolve("stdout")),
                Files.readString(folder.resolve("stderr")));
    }

    static Process start(Path folder, Map<String, String> environment, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(SCRIPT.toString()));
        command.addAll(List.of(arguments));
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile())
                .redirectOutput(folder.resolve("stdout").toFile()).redirectError(folder.resolve("stderr").toFile());
        builder.environment().put("TMPDIR", folder.toString()); // A script that is killed leaves its own there.
        builder.environment().putAll(environment);
        return builder.start();
    }
}
