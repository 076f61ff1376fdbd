package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/**
 * Java code that a document shows, to be compiled and run as a user would.
 *
 * @param imports lines that come first
 * @param statements what goes into a main method; lines that are not blank
 * @param printed what it prints, as the document has it right behind; null if it does not say
 */
record DocumentExample(List<String> imports, List<String> statements, String printed) {
    private static final Pattern CODE = Pattern.compile("```java\\n(.*?)```\\n(?:\\n```text\\n(.*?)```\\n)?",
            Pattern.DOTALL);
    private static final Pattern SNIPPET = Pattern.compile("\\{@snippet :\\n(.*?)\\n \\* \\}\\n \\*\\n",
            Pattern.DOTALL);

    /** The first of a file of the repository. */
    static DocumentExample first(String file) throws IOException {
        return all(file).getFirst();
    }

    /** Those of a file of the repository, which has some. */
    static List<DocumentExample> all(String file) throws IOException {
        List<DocumentExample> examples = found(file);
        assertFalse(examples.isEmpty(), file + " has an example");
        return examples;
    }

    /** Those of a file of the repository. */
    static List<DocumentExample> found(String file) throws IOException {
        return CODE.matcher(Files.readString(Repository.root().resolve(file))).results()
                .map(code -> of(code.group(1), code.group(2))).toList();
    }

    /** Whether it is a source file of its own, and not statements. */
    boolean isFile() {
        return statements.stream().anyMatch(statement -> statement.startsWith("public class "));
    }

    /** The snippet in the description of a package. */
    static DocumentExample ofPackage(String file) throws IOException {
        Matcher snippet = SNIPPET.matcher(Files.readString(Repository.root().resolve(file)));
        assertTrue(snippet.find(), file + " has an example");
        return of(snippet.group(1).replaceAll("(?m)^ \\* ?", ""), null);
    }

    private static DocumentExample of(String code, String printed) {
        List<String> lines = code.lines().filter(line -> !line.isBlank()).toList();
        return new DocumentExample(lines.stream().filter(line -> line.startsWith("import ")).toList(),
                lines.stream().filter(line -> !line.startsWith("import ")).toList(), printed);
    }

    /**
     * What it prints when it runs with all that this test has; compiled without a warning, and without a word on standard error but SLF4J's that
     * it has no provider.
     */
    String output(Path folder) throws IOException, InterruptedException {
        String classPath = CommandRun.classPath();
        Path source = folder.resolve("Example.java");
        Files.writeString(source,
                String.join("\n", imports)
                        + "\npublic class Example {\npublic static void main(String[] a) throws Exception {\n"
                        + String.join("\n", statements) + "\n}\n}\n");
        int status = ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:all,-path", "-Werror",
                "-proc:none", "-d",
                folder.toString(), "-cp", classPath, source.toString());
        assertEquals(0, status, "it compiles, without a warning");
        return run(folder, classPath);
    }

    /** With one compiler, which is enough for so short a program: emulated machines start it twice as fast. */
    private static String run(Path folder, String classPath) throws IOException, InterruptedException {
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1",
                "-Dslf4j.internal.verbosity=ERROR", "-cp",
                folder + File.pathSeparator + classPath, "Example").redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        assertEquals("", Files.readString(errors));
        assertEquals(0, status);
        return output;
    }
}
