package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The programs of the guides, started as they say, print what they say: as two processes, and on two hosts. */
class GuideProgramsTest {
    private static final String TRANSFERS = "docs/guide/transfers.md";
    private static final String EXCHANGE = "docs/guide/exchange.md";
    private static final Duration TIMEOUT = Duration.ofMinutes(20);
    private static final long LIMIT_SECONDS = 120;
    /** One compiler is enough for so short a program, and halves what it costs a guest to start one. */
    private static final String FLAGS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData";
    /** Between what the programs of one guide print and those of the next. */
    private static final String NEXT = "-- next --";

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(strings = {TRANSFERS, EXCHANGE})
    void twoProcessesPrintWhatTheGuideSays(String guide) throws Exception {
        GuidePrograms programs = GuidePrograms.of(guide, folder);
        int port = freePort();
        Process first = start(programs.commands().getFirst(), port, "first");
        Process second = start(programs.commands().getLast(), port, "second");
        try {
            assertEnds(second, "second");
            assertEnds(first, "first");
            programs.assertPrinted(Files.readString(folder.resolve("first")),
                    Files.readString(folder.resolve("second")));
        } finally {
            first.destroyForcibly();
            second.destroyForcibly();
        }
    }

    /** Those of both guides, one after the other: hosts take long to start. */
    @Test
    void twoHostsPrintWhatTheGuidesSay() throws Exception {
        Path seenByGuests = Files.createDirectories(Guests.TARGET.resolve("guide-programs"));
        List<GuidePrograms> guides = List.of(GuidePrograms.of(TRANSFERS, seenByGuests),
                GuidePrograms.of(EXCHANGE, seenByGuests));
        List<GuestRun> runs = Guests.pair(onHost(0, guides), onHost(1, guides), TIMEOUT);
        List<String[]> outputs = runs.stream().map(run -> run.assertSucceeded().output().split(NEXT, -1)).toList();
        for (int i = 0; i < guides.size(); i++) {
            guides.get(i).assertPrinted(outputs.getFirst()[i], outputs.getLast()[i]);
        }
    }

    private static String onHost(int host, List<GuidePrograms> guides) {
        StringBuilder command = new StringBuilder("set -e; export JDK_JAVA_OPTIONS='" + FLAGS + "'\n");
        guides.forEach(each -> command.append(each.commandsOnHosts().get(host)).append("; echo '" + NEXT + "'\n"));
        return command.toString();
    }

    /** With a free port, and the output in that file. */
    private Process start(String command, int port, String output) throws IOException {
        assertTrue(command.contains(" localhost:"), command);
        ProcessBuilder builder = new ProcessBuilder("sh", "-c",
                "exec " + command.replaceFirst("localhost:\\d+", "localhost:" + port)).directory(Guests.HOME.toFile())
                .redirectOutput(folder.resolve(output).toFile())
                .redirectError(folder.resolve(output + ".errors").toFile());
        builder.environment().put("JDK_JAVA_OPTIONS", FLAGS);
        return builder.start();
    }

    private void assertEnds(Process process, String output) throws IOException, InterruptedException {
        assertTrue(process.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS), output + " does not end");
        assertEquals(0, process.exitValue(), Files.readString(folder.resolve(output + ".errors")));
    }

    private static int freePort() throws IOException {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"))) {
            return socket.getLocalPort();
        }
    }
}
