package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** {@code verbena launch --hosts}, with a script in place of ssh: its hosts have none of the launcher's variables and start in another folder. */
class LaunchHostsTest {
    private static final String SSH = """
            #!/bin/sh
            [ "$1" = -q ] && [ $# = 3 ] || exit 99
            [ "$2" = closed ] && echo "no way to $2" >&2 && exit 255
            [ "$2" = silent ] && exec sleep 1000
            cd / && exec env -i "PATH=$PATH" "VERBENA_TEST_RUN=$VERBENA_TEST_RUN" "HOST=$2" sh -c "$3"
            """;
    /** Within which all have ended, those too that do not want to and are killed. */
    private static final long LIMIT_SECONDS = 20;

    @TempDir
    private Path folder;
    private Path ssh;

    @BeforeEach
    void writeSsh() throws IOException {
        ssh = Files.writeString(folder.resolve("ssh"), SSH);
        assertTrue(ssh.toFile().setExecutable(true));
    }

    private CommandRun launch(String hosts, int processes, String... more) {
        List<String> arguments = new ArrayList<>(
                List.of("launch", "--hosts", hosts, "-n", Integer.toString(processes), "--ssh", ssh + " -q"));
        arguments.addAll(List.of(more));
        return CommandRun.start(List.of("env", "--default-signal=INT", "-u", "OMP_NUM_THREADS"), Map.of("MINE", "it's"),
                arguments.toArray(String[]::new));
    }

    @Test
    void eachHostHasItsRanks() throws Exception {
        try (CommandRun run = launch("a.example.org,user@b", 2, "--", "sh", "-c",
                "echo $HOST $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR; echo e$RANK >&2")) {
            assertEquals(0, run.await(), run::errors);
            assertEquals(
                    List.of("rank 0: a.example.org 0 0 4 2 a.example.org",
                            "rank 1: a.example.org 1 1 4 2 a.example.org",
                            "rank 2: user@b 2 0 4 2 a.example.org", "rank 3: user@b 3 1 4 2 a.example.org"),
                    run.output().lines().sorted().toList());
            assertEquals(List.of("rank 0: e0", "rank 1: e1", "rank 2: e2", "rank 3: e3"),
                    run.errors().lines().sorted().toList());
        }
    }

    /** Whatever a shell would do with them; those of the launch are stronger than those given. */
    @Test
    void wordsAndVariablesArriveAsTheyAre() throws Exception {
        String word = "a 'b' \"c\" $HOME `id` \\ * !x #";
        try (CommandRun run = launch("a", 1, "--env", "MINE", "--env", "WORD=" + word, "--env=RANK=7",
                "--master-port=29500", "sh", "-c", "printf '%s\\n' \"$@\" \"$MINE\" \"$WORD\" \"$RANK $MASTER_PORT\"",
                "sh", word, "", "two\nlines")) {
            assertEquals(0, run.await(), run::errors);
            assertEquals(List.of(word, "", "two", "lines", "it's", word, "0 29500"),
                    run.output().lines().map(line -> line.substring("rank 0: ".length())).toList());
        }
    }

    @Test
    void theFolderIsThisOnesAndThreadsAndPortAreThatHosts() throws Exception {
        try (CommandRun run = launch("a", 1, "sh", "-c", "pwd; echo $OMP_NUM_THREADS $MASTER_PORT")) {
            assertEquals(0, run.await(), run::errors);
            assertTrue(run.output().matches("rank 0: .*/verbena-run-\\S+\\nrank 0: [1-9]\\d* [23]\\d{4}\\n"),
                    run.output());
        }
    }

    @Test
    void oneThatFailsEndsTheOthersOnTheirHosts() throws Exception {
        try (CommandRun run = launch("a,b,c", 1, "--", "sh", "-c", """
                if [ $RANK = 1 ]; then until [ -e "$0/0" ] && [ -e "$0/2" ]; do sleep 0.05; done; exit 7; fi
                trap 'echo told; exit 0' TERM
                sleep 1000 & : > "$0/$RANK"
                wait""", folder.toString())) {
            assertEquals(7, run.await(), run::errors);
            assertEquals("verbena: rank 1 on b ended with status 7; the others are ended\n", run.errors());
            assertEquals(List.of("rank 0: told", "rank 2: told"), run.output().lines().sorted().toList());
            assertEquals(List.of(), run.processes(), "neither they nor what they have started");
        }
    }

    /** One cannot be reached, another does not answer, and is not waited for. */
    @Test
    void hostsThatAreNotReachedAreNamed() throws Exception {
        try (CommandRun run = launch("silent,closed,c", 1, "sleep", "1000")) {
            assertEquals(255, run.await(), run::errors);
            assertEquals("rank 1: no way to closed\nverbena: rank 1 on closed ended with status 255: does '" + ssh
                    + " -q closed true' work?; the others are ended\n", run.errors());
            assertEquals(List.of(), run.processes());
        }
    }

    @ParameterizedTest
    @CsvSource({"TERM, 143", "INT, 130", "KILL, 137"})
    void nobodyOutlivesTheLauncher(String signal, int status) throws Exception {
        try (CommandRun run = launch("a,b", 1, "sh", "-c", "sleep 1000 & echo up; wait")) {
            long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
            while (run.output().lines().count() < 2) {
                assertTrue(System.nanoTime() < deadlineNs, run::errors);
                TimeUnit.MILLISECONDS.sleep(20);
            }
            assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(run.process().pid())).start()
                    .waitFor());
            assertEquals(List.of(), run.awaitNoProcess(LIMIT_SECONDS), run::errors);
            assertEquals(status, run.await());
        }
    }
}
