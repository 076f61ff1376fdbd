package dev.verbena.trace;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of docs/guide/tracer.md, compiled and run as a user would. */
class TracerGuideTest {
    private static final Pattern BLOCK = Pattern.compile("^```(java|text)?\\n(.*?)^```",
            Pattern.DOTALL | Pattern.MULTILINE);
    private static final int ADDED_LINES = 10;

    @TempDir
    private Path folder;

    @Test
    void theProgramPrintsWhatTheGuideSaysAndLessWithASavedTrace() throws Exception {
        compile(program());
        assertEquals(blocks("text").get(0), run());
        String saved = Files.readString(folder.resolve("toy.trace"));
        assertEquals(blocks("text").get(1), run());
        assertEquals(saved, Files.readString(folder.resolve("toy.trace")));
        assertTrue(guide().contains("\n```\n" + saved + "```\n"), saved);
    }

    @Test
    void withoutTheTenAddedLinesTheProgramRunsAndCopies() throws Exception {
        List<String> lines = program().lines().toList();
        List<String> before = lines.stream().filter(line -> !line.endsWith("// +")).toList();
        assertEquals(ADDED_LINES, lines.size() - before.size());
        compile(String.join("\n", before));
        assertEquals(blocks("text").get(0).replace("copies=0", "copies=1"), run());
    }

    private static String guide() throws IOException {
        return Files.readString(Path.of(System.getProperty("verbena.home"), "docs/guide/tracer.md"));
    }

    private static List<String> blocks(String kind) throws IOException {
        return BLOCK.matcher(guide()).results().filter(block -> kind.equals(block.group(1)))
                .map((MatchResult block) -> block.group(2)).toList();
    }

    private static String program() throws IOException {
        return blocks("java").getFirst();
    }

    private void compile(String program) throws IOException, InterruptedException {
        Path source = Files.writeString(folder.resolve("Toy.java"), program);
        assertEquals("", output("javac", "-Xlint:all,-path", "-Werror", "-proc:none", "-d", folder.toString(), "-cp",
                System.getProperty("java.class.path"), source.toString()), "no warning");
    }

    private String run() throws IOException, InterruptedException {
        return output("java", "--enable-native-access=ALL-UNNAMED", "-XX:-UsePerfData", "-XX:TieredStopAtLevel=1",
                "-cp", folder + File.pathSeparator + System.getProperty("java.class.path"), "Toy");
    }

    /** Of a tool of the JDK that this runs on. */
    private String output(String tool, String... arguments) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>(List.of(arguments));
        command.addFirst(Path.of(System.getProperty("java.home"), "bin", tool).toString());
        Path errors = folder.resolve("errors");
        Process process = new ProcessBuilder(command).directory(folder.toFile()).redirectError(errors.toFile()).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        int status = process.waitFor();
        assertEquals("", Files.readString(errors));
        assertEquals(0, status);
        return output;
    }
}
