package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.regex.Pattern;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import com.fasterxml.jackson.jr.ob.JSON;

/** {@code --json [FILE]}: a file beside the text, or standard output without it; the same for all commands that have figures. */
class JsonOutputTest {
    private static final String TRAINING = "train --local --iterations=2 --batch=10";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {"info", "doctor --color=never", TRAINING})
    void aFileComesBesideTheText(String line) throws Exception {
        Path file = folder.resolve("figures.json");
        try (CommandRun run = CommandRun.start((line + " --json " + file).split(" "))) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            assertFalse(JSON.std.mapFrom(Files.readString(file)).isEmpty());
            assertTrue(run.output().lines().count() > 1 && !run.output().startsWith("{"), run.output());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"info --json", "doctor --json=-", TRAINING + " --json", TRAINING + " --json --quiet"})
    void withoutAFileItIsAllThatIsPrinted(String line) throws Exception {
        try (CommandRun run = CommandRun.start(line.split(" "))) {
            assertEquals(ExitStatus.SUCCESS, run.await(), run::errors);
            Map<String, Object> figures = JSON.std.mapFrom(run.output());
            assertFalse(figures.isEmpty());
            assertTrue(run.output().endsWith("}\n"), run.output());
        }
    }

    /** Of two that talk, the server's word of where it waits must be seen nevertheless. */
    @Test
    void aServerSaysWhereItWaitsOnStandardError() throws Exception {
        String line = "perf tensor --fabric shm --sizes 64 -n 5 --warm-up 0 --json -p ";
        try (CommandRun server = CommandRun.start((line + "0").split(" "))) {
            String port = awaitPort(server);
            try (CommandRun client = CommandRun.start((line + port + " 127.0.0.1").split(" "))) {
                assertEquals(ExitStatus.SUCCESS, client.await(), client::errors);
                assertEquals(ExitStatus.SUCCESS, server.await(), server::errors);
                assertEquals("client", JSON.std.mapFrom(client.output()).get("role"), client.output());
                assertEquals("server", JSON.std.mapFrom(server.output()).get("role"), server.output());
            }
        }
    }

    private static String awaitPort(CommandRun server) throws InterruptedException {
        Pattern waiting = Pattern.compile("waiting for a client at \\S+:(\\d+) ");
        while (server.process().isAlive()) {
            var found = waiting.matcher(server.errors());
            if (found.find()) {
                return found.group(1);
            }
            Thread.sleep(20);
        }
        throw new AssertionError(server.errors());
    }

    /** A word that was meant for something else is no name of a file. */
    @Test
    void aHostIsNotTakenForAFile() throws Exception {
        try (CommandRun run = CommandRun.start("perf", "tensor", "--json", "localhost")) {
            assertEquals(ExitStatus.BAD_INPUT, run.await(), run::output);
            assertTrue(run.errors().contains("--json=localhost is no file that ends in .json"), run.errors());
            assertEquals(1, run.errors().lines().count(), run.errors());
        }
    }
}
