package dev.verbena.arrow;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The snippets of {@code docs/guide/arrow.md} that say what they print, compiled and run as a user would, with the one option that it names. */
class ArrowGuideTest {
    private static final Pattern EXAMPLE = Pattern.compile(
            "```java\\n((?:(?!```).)*)```\\n\\n```text\\n(.*?)```\\n", Pattern.DOTALL);
    /** The JDK's, in Arrow's name, from version 24 on. */
    private static final Pattern WARNING_OF_ARROW = Pattern.compile("WARNING: .*\\R");

    @TempDir
    private Path folder;

    @Test
    void examplesPrintWhatTheGuideSays() throws Exception {
        String guide = Files.readString(Path.of(System.getProperty("verbena.home"), "docs/guide/arrow.md"));
        List<MatchResult> examples = EXAMPLE.matcher(guide).results().toList();
        assertTrue(!examples.isEmpty(), "the guide has an example");
        for (MatchResult example : examples) {
            assertEquals(example.group(2), output(example.group(1)));
        }
    }

    private String output(String code) throws IOException, InterruptedException {
        String imports = code.lines().filter(line -> line.startsWith("import ")).collect(Collectors.joining("\n"));
        String statements = code.lines().filter(line -> !line.startsWith("import ")).collect(Collectors.joining("\n"));
        Path source = folder.resolve("Example.java");
        Files.writeString(source, imports
                + "\npublic class Example {\npublic static void main(String[] a) throws Exception {\n" + statements
                + "\n}\n}\n");
        String classPath = System.getProperty("java.class.path");
        assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:all,-path,-classfile",
                "-Werror", "-proc:none", "-d", folder.toString(), "-cp", classPath, source.toString()));
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:TieredStopAtLevel=1",
                "-Dorg.slf4j.simpleLogger.defaultLogLevel=error", "-cp", folder + File.pathSeparator + classPath,
                "Example").redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        assertEquals("", WARNING_OF_ARROW.matcher(Files.readString(errors)).replaceAll(""));
        assertEquals(0, status);
        return output;
    }
}
