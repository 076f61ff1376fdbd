package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.ByteArrayOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code verbena launch}, with shells as what it launches. */
class LaunchCommandTest {
    /** Within which all have ended, those too that do not want to and are killed. */
    private static final long LIMIT_SECONDS = 15;
    private static final String SAY_ALL = "echo $RANK $LOCAL_RANK $WORLD_SIZE $LOCAL_WORLD_SIZE $MASTER_ADDR $MASTER_PORT"
            + " $OMP_NUM_THREADS; echo e$RANK >&2; cat; exit 0";

    @Test
    void eachKnowsItsRankAndIsHeardByIt() throws Exception {
        try (CommandRun run = CommandRun.start(List.of(), Map.of("OMP_NUM_THREADS", "3"), "launch", "-n", "2",
                "--nodes",
                "2", "--node-rank=1", "--master-addr", "198.51.100.7", "--master-port=29500", "--", "sh", "-c",
                SAY_ALL)) {
            assertEquals(0, run.await(), run::errors);
            assertEquals(
                    List.of("rank 2: 2 0 4 2 198.51.100.7 29500 3", "rank 3: 3 1 4 2 198.51.100.7 29500 3"),
                    run.output().lines().sorted().toList());
            assertEquals(List.of("rank 2: e2", "rank 3: e3"), run.errors().lines().sorted().toList());
            assertEquals(List.of(), run.processes());
        }
    }

    /** Options behind the command are its own, with and without a separator. */
    @Test
    void onOneHostAddressPortAndThreadsFollow() throws Exception {
        try (CommandRun run = CommandRun.start("launch", "-n", "1", "env", "-u", "HOME", "sh", "-c",
                "echo $MASTER_ADDR $MASTER_PORT $OMP_NUM_THREADS $HOME")) {
            assertEquals(0, run.await(), run::errors);
            int processors = Runtime.getRuntime().availableProcessors();
            assertTrue(run.output().matches("rank 0: 127\\.0\\.0\\.1 [1-9]\\d+ " + processors + "\\n"), run.output());
        }
    }

    @Test
    void oneThatFailsEndsTheOthersAndGivesItsStatus() throws Exception {
        try (CommandRun run = CommandRun.start("launch", "-n", "3", "--", "sh", "-c",
                "[ $RANK = 1 ] && sleep 1 && exit 7; trap 'echo told; exit 0' TERM; sleep 1000 & wait")) {
            assertEquals(7, run.await(), run::errors);
            assertEquals("verbena: rank 1 ended with status 7; the others are ended\n", run.errors());
            assertEquals(List.of("rank 0: told", "rank 2: told"), run.output().lines().sorted().toList());
            assertEquals(List.of(), run.processes(), "neither they nor what they have started");
        }
    }

    @Test
    void oneThatDoesNotListenIsKilled() throws Exception {
        try (CommandRun run = CommandRun.start("launch", "-n", "2", "--", "sh", "-c",
                "trap '' TERM; [ $RANK = 0 ] && sleep 1 && kill -KILL $$; sleep 1000")) {
            assertEquals(137, run.await(), run::errors);
            assertEquals("verbena: rank 0 was ended by signal 9; the others are ended\n", run.errors());
            assertEquals(List.of(), run.processes());
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"TERM", "INT", "KILL"})
    void nobodyOutlivesTheLauncher(String signal) throws Exception {
        try (CommandRun run = CommandRun.start(List.of("env", "--default-signal=INT"), Map.of(), "launch", "-n", "2",
                "--", "sh", "-c", "sleep 1000 & echo up; wait")) {
            awaitLines(run, 2);
            assertEquals(0, new ProcessBuilder("kill", "-" + signal, Long.toString(run.process().pid())).start()
                    .waitFor());
            assertEquals(List.of(), run.awaitNoProcess(LIMIT_SECONDS), run::errors);
            assertEquals(Map.of("TERM", 143, "INT", 130, "KILL", 137).get(signal), run.await());
        }
    }

    private static void awaitLines(CommandRun run, int count) throws InterruptedException {
        long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (run.output().lines().count() < count) {
            assertTrue(System.nanoTime() < deadlineNs, run::errors);
            TimeUnit.MILLISECONDS.sleep(20);
        }
    }

    /** What a command leaves behind when it ends well goes too. */
    @Test
    void nothingIsLeftOfACommandThatEnds() throws Exception {
        try (CommandRun run = CommandRun.start("launch", "-n", "2", "--", "sh", "-c",
                "sleep 1000 > /dev/null 2>&1 & echo done")) {
            assertEquals(0, run.await(), run::errors);
            assertEquals(List.of(), run.processes());
            assertEquals(2, run.output().lines().count());
        }
    }

    @Test
    void whatCannotBeIsSaid() throws Exception {
        expect("-n=0; give 1 to 1024", "-n", "0", "true");
        expect("--node-rank=2; give 0 to 1", "-n", "1", "--nodes=2", "--node-rank=2", "true");
        expect("--nodes=2 without --master-addr and --master-port, which all hosts must be given alike", "-n", "1",
                "--nodes=2", "--master-port=1", "true");
        expect("--master-port=65536; give 1 to 65535", "-n", "1", "--master-port=65536", "true");
        expect("Missing required option: '--processes=N' (see verbena launch --help)", "true");
        expect("Missing required parameter: 'COMMAND' (see verbena launch --help)", "-n", "1");
        expect("'-oProxyCommand=x' in --hosts is no host; give names with commas between, and by -n how many processes"
                + " each has", "-n", "1", "--hosts=a,-oProxyCommand=x", "true");
        expect("'a:2' in --hosts is no host; give names with commas between, and by -n how many processes each has",
                "-n", "1", "--hosts=a:2,b", "true");
        expect("'' in --hosts is no host; give names with commas between, and by -n how many processes each has", "-n",
                "1", "--hosts=a,,b", "true");
        expect("--hosts has 'a' twice; -n says how many processes each has", "-n", "1", "--hosts=a,b,a", "true");
        expect("--hosts begins with localhost, by which other hosts do not reach rank 0; give another name of it, or"
                + " --master-addr", "-n", "1", "--hosts=me@localhost,b", "true");
        expect("--nodes with --hosts, which are as many as they are", "-n", "1", "--nodes=2", "--hosts=a,b",
                "--master-addr=a", "--master-port=1", "true");
        expect("--ssh without --hosts, to which it leads", "-n", "1", "--ssh=rsh", "true");
        expect("--ssh is empty; give a command, such as 'ssh -o BatchMode=yes -o ConnectTimeout=30 -o"
                + " ServerAliveInterval=15'", "-n", "1", "--ssh= ", "--hosts=a", "true");
        expect("--env=1=2 names no variable; give NAME or NAME=VALUE", "-n", "1", "--env=1=2", "true");
        expect("--env=NOT_SET_ANYWHERE, but NOT_SET_ANYWHERE is not set here; set it, or give NOT_SET_ANYWHERE=VALUE",
                "-n", "1", "--env=NOT_SET_ANYWHERE", "true");
        try (CommandRun run = CommandRun.start("launch", "-n", "1", "no-such-command")) {
            assertEquals(127, run.await());
            assertTrue(run.errors().endsWith(
                    "verbena: rank 0 ended with status 127: is there a command 'no-such-command'?\n"), run::errors);
        }
    }

    /** In this process: a JVM for each would say no more. */
    private static void expect(String complaint, String... arguments) {
        String[] all = new String[arguments.length + 1];
        all[0] = "launch";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        PrintStream errors = System.err;
        ByteArrayOutputStream printed = new ByteArrayOutputStream();
        System.setErr(new PrintStream(printed, true, StandardCharsets.UTF_8));
        try {
            assertEquals(ExitStatus.BAD_INPUT, Verbena.commandLine().execute(all));
        } finally {
            System.setErr(errors);
        }
        assertEquals("verbena: " + complaint + "\n", printed.toString(StandardCharsets.UTF_8));
    }
}
