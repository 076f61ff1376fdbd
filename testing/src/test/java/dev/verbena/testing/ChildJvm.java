package dev.verbena.testing;

import java.io.File;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** Starts a main class of these tests as another process. */
final class ChildJvm {
    private ChildJvm() {}

    static Process start(Class<?> main, String... arguments) throws IOException {
        List<String> command = new ArrayList<>(List.of(System.getProperty("java.home") + File.separator + "bin/java",
                "--enable-native-access=ALL-UNNAMED", "-XX:+UseSerialGC", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1",
                "-Xmx64m", "-cp", System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                main.getName()));
        command.addAll(List.of(arguments));
        return new ProcessBuilder(command).redirectOutput(ProcessBuilder.Redirect.INHERIT)
                .redirectError(ProcessBuilder.Redirect.INHERIT).start();
    }
}
