package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import picocli.CommandLine;

/** What {@code distribution/build} packs runs where there is no source tree, and is the same each time. */
@Timeout(600)
class DistributionTest {
    private static final Path BUILD = Repository.root().resolve("distribution/build");

    private static final Pattern SPACE = Pattern.compile("\\s+");
    /** Fonts, paragraphs, and the dots of an ellipsis apart. */
    private static final Pattern ROFF = Pattern.compile("\\\\f.|\\\\\\||^\\.sp$", Pattern.MULTILINE);

    @TempDir
    private Path folder;

    private record Said(int status, String output) {}

    private Said run(List<String> command) throws Exception {
        Path output = folder.resolve("said");
        ProcessBuilder builder = new ProcessBuilder(command).directory(folder.toFile()).redirectErrorStream(true)
                .redirectOutput(output.toFile());
        builder.environment().put("VERBENA_JAVA_HOME", System.getProperty("java.home"));
        Process process = builder.start();
        try {
            assertTrue(process.waitFor(550, TimeUnit.SECONDS), () -> command + " does not end");
        } finally {
            process.descendants().forEach(ProcessHandle::destroyForcibly);
            process.destroyForcibly();
        }
        return new Said(process.exitValue(), Files.readString(output, StandardCharsets.UTF_8));
    }

    private Path pack(String name) throws Exception {
        Said said = run(List.of("bash", "-c", "umask 077 && exec '" + BUILD + "' " + name));
        assertEquals(0, said.status, said.output);
        return Path.of(said.output.lines().toList().getLast());
    }

    @Test
    void itRunsWithoutTheSourceTreeAndIsTheSameEachTime() throws Exception {
        Path packed = pack("first");
        assertArrayEquals(Files.readAllBytes(packed), Files.readAllBytes(pack("second")));
        String name = packed.getFileName().toString().replace(".tar.gz", "");
        Path unpacked = Files.createDirectory(folder.resolve("a folder"));
        assertEquals("", run(List.of("tar", "-xzf", packed.toString(), "-C", unpacked.toString())).output);
        String verbena = unpacked.resolve(name + "/bin/verbena").toString();
        assertEquals(name.replace("verbena-", "verbena "),
                run(List.of(verbena, "--version")).output.lines().findFirst().orElse(""));
        Said trained = run(List.of(verbena, "train", "--workers=1", "--iterations=2"));
        assertEquals(0, trained.status, trained.output);
        assertTrue(trained.output.contains("sender copies"), trained.output);
        assertHasManual(Verbena.commandLine(), unpacked.resolve(name + "/share/man/man1"),
                name.replace("verbena-", "Verbena "));
    }

    /** A page for each command that users see, with its synopsis as --help has it: what the typesetter takes for markup is missing there. */
    private static void assertHasManual(CommandLine command, Path pages, String version) throws IOException {
        String name = command.getCommandSpec().qualifiedName("-");
        String page = Files.readString(pages.resolve(name + ".1"));
        assertTrue(page.contains("\"" + version.replace("-", "\\-") + "\""), page);
        assertEquals(SPACE.matcher(command.getHelp().synopsis(0)).replaceAll(""), plain(section(page, "SYNOPSIS")),
                name);
        assertTrue(section(page, "EXIT STATUS").contains("\n\\fB130\\fP\n"), page);
        for (CommandLine each : command.getSubcommands().values()) {
            if (!each.getCommandSpec().usageMessage().hidden()) {
                assertHasManual(each, pages, version);
            }
        }
    }

    private static String section(String page, String title) {
        String from = page.substring(page.indexOf(".SH \"" + title + "\"\n") + title.length() + 7);
        return from.split("\n\\.SH ")[0];
    }

    /** Without spaces and what is for roff. */
    private static String plain(String roff) {
        return SPACE.matcher(ROFF.matcher(roff).replaceAll("")).replaceAll("").replace("\\-", "-");
    }

    @Test
    void whatItIsAskedWronglyIsSaid() throws Exception {
        assertEquals(new Said(2, "distribution: use build [--with-java] [FOLDER].\n"),
                run(List.of(BUILD.toString(), "--fast")));
    }
}
