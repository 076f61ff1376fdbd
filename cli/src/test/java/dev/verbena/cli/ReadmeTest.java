package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What the README shows is true: its example compiles and runs, the files that it names are there. */
class ReadmeTest {
    private static final Pattern EXAMPLE = Pattern.compile("```java\\n(.*?)```", Pattern.DOTALL);
    private static final Pattern FILE = Pattern.compile("`((?:docs/|\\./)[\\w./-]+)");
    private static final int EXAMPLE_LINES = 15;

    @TempDir
    private Path folder;

    @Test
    void exampleRuns() throws Exception {
        List<String> imports = new ArrayList<>();
        List<String> statements = new ArrayList<>();
        for (String line : example().lines().filter(line -> !line.isBlank()).toList()) {
            (line.startsWith("import ") ? imports : statements).add(line);
        }
        assertEquals(EXAMPLE_LINES, statements.size(), "lines of the example");
        Path source = folder.resolve("Example.java");
        Files.writeString(source,
                String.join("\n", imports) + "\npublic class Example {\npublic static void main(String[] a) {\n"
                        + String.join("\n", statements) + "\n}\n}\n");
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:all", "-Werror", "-d",
                folder.toString(), "-cp", CommandRun.classPath(), source.toString());
        assertEquals(0, status, "it compiles, without a warning");
        assertEquals("3.14 copied=0\n", output("Example"));
    }

    @Test
    void namedFilesExist() throws IOException {
        Matcher file = FILE.matcher(Files.readString(Repository.root().resolve("README.md")));
        int named = 0;
        while (file.find()) {
            named++;
            assertTrue(Files.exists(Repository.root().resolve(file.group(1))), file.group(1));
        }
        assertTrue(named >= 3, "files named: " + named);
    }

    private String output(String type) throws IOException, InterruptedException {
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData", "-cp",
                folder + File.pathSeparator + CommandRun.classPath(), type).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), java.nio.charset.StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), () -> read(errors));
        assertEquals("", read(errors));
        return output;
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    private static String example() throws IOException {
        Matcher example = EXAMPLE.matcher(Files.readString(Repository.root().resolve("README.md")));
        assertTrue(example.find(), "the README has an example");
        return example.group(1);
    }
}
