package dev.verbena.softroce;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Collectors;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The program of the guide to launchers, started as it says: on this host, and on two by ssh, over soft-RoCE. */
class LaunchGuideTest {
    private static final String GUIDE = "docs/guide/launchers.md";
    private static final Duration TIMEOUT = Duration.ofMinutes(20);
    /** One compiler is enough for so short a program, and halves what it costs a guest to start one. */
    private static final String FLAGS = "-XX:+UseSerialGC -XX:TieredStopAtLevel=1 -XX:-UsePerfData";
    private static final String ON_HOST1 = """
            export JDK_JAVA_OPTIONS='FLAGS'
            LAUNCH
            echo '-- next --'
            ./verbena launch --hosts host1,host2 -n 1 -- sh -c '[ $RANK = 0 ] || exit 7; sleep 1000' || echo "status $?"
            """;

    @TempDir
    private Path folder;

    @BeforeAll
    static void build() throws Exception {
        ProgramBuild.run();
    }

    @Test
    void onThisHostItPrintsWhatTheGuideSays() throws Exception {
        GuidePrograms programs = GuidePrograms.of(GUIDE, folder);
        Path errors = folder.resolve("errors");
        ProcessBuilder builder = new ProcessBuilder("sh", "-c", programs.commands().getFirst())
                .directory(Guests.HOME.toFile()).redirectError(errors.toFile());
        builder.environment().put("JDK_JAVA_OPTIONS", FLAGS);
        Process launch = builder.start();
        String output = new String(launch.getInputStream().readAllBytes());
        assertEquals(0, launch.waitFor(), () -> output + read(errors));
        programs.assertPrinted(sorted(output));
    }

    /** Also when a rank fails it is named with its host, and the other ends. */
    @Test
    void onTwoHostsItPrintsTheSame() throws Exception {
        Path seenByGuests = Files.createDirectories(Guests.TARGET.resolve("launch-guide"));
        GuidePrograms programs = GuidePrograms.of(GUIDE, seenByGuests);
        Guests.assumeTheyWork();
        var runs = Guests.pairBySsh(
                ON_HOST1.replace("FLAGS", FLAGS).replace("LAUNCH", programs.commandsOnHosts().getFirst()), TIMEOUT);
        String[] printed = runs.getFirst().assertSucceeded().output().split("-- next --\\n");
        runs.getLast().assertSucceeded();
        programs.assertPrinted(sorted(printed[0]));
        List<String> lines = printed[1].lines().toList();
        assertTrue(lines.contains("verbena: rank 1 on host2 ended with status 7; the others are ended"), printed[1]);
        assertTrue(lines.contains("status 7"), printed[1]);
    }

    private static String sorted(String output) {
        return output.lines().filter(line -> line.startsWith("rank ")).sorted().collect(Collectors.joining("\n"));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file);
        } catch (IOException e) {
            return e.toString();
        }
    }
}
