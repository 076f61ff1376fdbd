package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** How the Java of a task is started. */
class JavaCommandTest {
    private static final String FLAG = "BackgroundCompilation";

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 16})
    void compilesInTheBackgroundWhereThereIsAProcessorForIt(int processors) throws Exception {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(JavaCommand.optimized(processors));
        command.addAll(List.of("-XX:+PrintFlagsFinal", "-version"));
        Process java = new ProcessBuilder(command).redirectErrorStream(true).start();
        String printed = new String(java.getInputStream().readAllBytes());

        assertEquals(0, java.waitFor(), printed);
        String flag = printed.lines().filter(line -> line.contains(" " + FLAG + " ")).findFirst().orElseThrow();
        assertEquals(processors > 1, flag.contains("true"), flag);
    }
}
