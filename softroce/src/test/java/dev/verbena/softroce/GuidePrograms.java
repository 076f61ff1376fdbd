package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/**
 * Programs that a guide shows, how they are started, and what they print; compiled, since that takes long in a guest.
 *
 * @param commands to be run in the repository's root, one for each program: side by side on this machine, and on two hosts
 * @param printed by them, one after the other
 */
record GuidePrograms(List<String> commands, List<String> commandsOnHosts, String printed) {
    private static final Pattern PROGRAM = Pattern.compile("```java\\n((?:(?!```).)*?public class (\\w+) .*?)```",
            Pattern.DOTALL);
    private static final Pattern COMMANDS = Pattern.compile("```sh\\n(.*?)```\\n(?:\\n```text\\n(.*?)```)?",
            Pattern.DOTALL);
    private static final Pattern OF_OTHERS = Pattern.compile("(rank \\d+: )?(SLF4J|NOTE: |WARN )");
    private static final String JARS = "-cp 'cli/target/application/*'";

    /** Of a file of the repository; its classes go to the folder. */
    static GuidePrograms of(String file, Path folder) throws IOException {
        String guide = Files.readString(Guests.HOME.resolve(file));
        String classPath = System.getProperty("surefire.test.class.path", System.getProperty("java.class.path"));
        List<String> programs = new ArrayList<>();
        Matcher program = PROGRAM.matcher(guide);
        while (program.find()) {
            programs.add(program.group(2));
            Path source = folder.resolve(program.group(2) + ".java");
            Files.writeString(source, program.group(1));
            assertEquals(0, ToolProvider.getSystemJavaCompiler().run(null, null, null, "-Xlint:all,-path", "-Werror",
                    "-proc:none", "-d", folder.toString(), "-cp", classPath, source.toString()),
                    source + " compiles, without a warning");
        }
        assertFalse(programs.isEmpty(), file + " shows programs");
        List<MatchResult> commands = COMMANDS.matcher(guide).results().toList();
        assertEquals(2, commands.size(), file + " starts them on one host, and on two");
        String ours = "-cp '" + folder + File.pathSeparator + classPath + "'";
        return new GuidePrograms(compiled(commands.getFirst().group(1), programs, ours),
                compiled(commands.getLast().group(1), programs, ours), commands.getFirst().group(2));
    }

    private static List<String> compiled(String commands, List<String> programs, String ours) {
        List<String> compiled = new ArrayList<>();
        for (String line : commands.lines().toList()) {
            String program = programs.get(compiled.size());
            assertTrue((line + " ").contains(JARS + " " + program + ".java "), line);
            compiled.add(line.replaceFirst("^host\\d\\$ ", "").replaceFirst(" &$", "")
                    .replaceFirst("(^| )java ", "$1'" + Path.of(System.getProperty("java.home"), "bin", "java") + "' ")
                    .replace(JARS, ours).replace(program + ".java", program));
        }
        assertEquals(programs.size(), compiled.size(), commands);
        return compiled;
    }

    /** What has been printed by the two, without what the JVM, and loggers that are there or not, say. */
    void assertPrinted(String... outputs) {
        assertEquals(printed, String.join("", Arrays.stream(outputs).flatMap(String::lines)
                .filter(line -> !line.isBlank() && !OF_OTHERS.matcher(line).lookingAt())
                .map(line -> line + "\n")
                .toList()));
    }
}
