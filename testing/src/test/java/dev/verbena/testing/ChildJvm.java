package dev.verbena.testing;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of these tests as another process. */
public final class ChildJvm {
    /** The class-data-sharing archive of these classes, where somebody has made one. */
    private static final String ARCHIVE = System.getProperty("verbena.archive", "");

    private ChildJvm() {}

    /** Says here what it says. */
    static Process start(Class<?> main, String... arguments) throws IOException {
        return builder(main, arguments).redirectOutput(ProcessBuilder.Redirect.INHERIT).start();
    }

    /** Speaks with the caller over its standard input and output. */
    public static Process startWithLines(Class<?> main, String... arguments) throws IOException {
        return builder(main, arguments).start();
    }

    private static ProcessBuilder builder(Class<?> main, String... arguments) {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + File.separator + "bin/java",
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1",
                "-Xmx64m"));
        if (!ARCHIVE.isEmpty()) {
            command.addAll(List.of("-XX:SharedArchiveFile=" + ARCHIVE, "-Xlog:cds=off"));
        }
        command.addAll(
                List.of("-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
    }
}
