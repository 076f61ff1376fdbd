package dev.verbena.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import org.junit.jupiter.api.Test;

/** Processes that die in mid-run take the others along, with a word on who it was, and leave nothing. */
class KillTest {
    private static final int MOMENTS = 20;
    private static final int LATEST_MILLIS = 3_000;
    /** Within which every process has ended after one was killed. */
    private static final long LIMIT_SECONDS = 5;
    private static final int INTERRUPTED = 130;
    private static final int KILLED = 137;
    private static final List<String> TASKS = List.of("server:0", "worker:0", "worker:1");

    @Test
    void killedTasksEndTheRunWhenever() throws Exception {
        long seed = Long.getLong("verbena.seed", System.nanoTime());
        System.out.println("KillTest seed=" + seed + " (repeat with -Dverbena.seed)");
        Random random = new Random(seed);
        for (int moment = 0; moment < MOMENTS; moment++) {
            int delayMillis = random.nextInt(LATEST_MILLIS);
            String victim = TASKS.get(random.nextInt(TASKS.size()));
            killAndAssert(victim, delayMillis,
                    "seed=" + seed + " moment=" + moment + " victim=" + victim + " delayMillis=" + delayMillis);
        }
    }

    @Test
    void interruptEndsEverythingWithItsStatus() throws Exception {
        for (boolean isTraining : new boolean[]{false, true}) {
            // Surefire itself may have been started deaf to interrupts, by a shell in the background.
            try (CommandRun run = start(List.of("env", "--default-signal=INT"))) {
                awaitTasks(run);
                if (isTraining) {
                    awaitTraining(run);
                }
                signal("INT", run.process().pid());
                assertEquals(List.of(), run.awaitNoProcess(LIMIT_SECONDS), run::errors);
                assertEquals(INTERRUPTED, run.await(), run::errors);
                assertFalse(run.errors().contains("verbena: "), run::errors);
                assertEquals(List.of(), run.sharedFiles());
            }
        }
    }

    @Test
    void tasksDoNotOutliveTheirLauncher() throws Exception {
        try (CommandRun run = start(List.of())) {
            awaitTraining(run);
            run.process().destroyForcibly();
            assertEquals(List.of(), run.awaitNoProcess(LIMIT_SECONDS), run::errors);
            assertEquals(KILLED, run.await());
            assertEquals(List.of(), run.sharedFiles());
        }
    }

    /** Without a launcher there is only the device to tell. */
    @Test
    void tasksStartedByHandNoticeALostPeer() throws Exception {
        for (String victim : TASKS) {
            Map<String, Integer> ports = freePorts();
            String cluster = ports.entrySet().stream().map(each -> each.getKey() + "=127.0.0.1:" + each.getValue())
                    .collect(Collectors.joining(","));
            Map<String, CommandRun> runs = new LinkedHashMap<>();
            try {
                for (String task : TASKS) {
                    runs.put(task, CommandRun.start("task", "--task=" + task, "--cluster=" + cluster,
                            "--listen=127.0.0.1:" + ports.get(task), "--iterations=1000000", "--workers=2",
                            "--progress"));
                }
                awaitTraining(runs.get("worker:0"));
                awaitTraining(runs.get("worker:1"));
                runs.get(victim).process().destroyForcibly();
                for (String survivor : TASKS) {
                    CommandRun run = runs.get(survivor);
                    assertEquals(List.of(), run.awaitNoProcess(LIMIT_SECONDS), run::errors);
                    assertEquals(List.of(), run.sharedFiles());
                    if (!survivor.equals(victim)) {
                        assertEquals(ExitStatus.FAILED, run.await(), run::errors);
                        assertTrue(run.errors().contains(victim), () -> survivor + ": " + run.errors());
                    }
                }
            } finally {
                for (CommandRun run : runs.values()) {
                    run.close();
                }
            }
        }
    }

    private static void killAndAssert(String victim, int delayMillis, String what) throws Exception {
        try (CommandRun run = start(List.of())) {
            ProcessHandle doomed = awaitTasks(run).get(victim);
            TimeUnit.MILLISECONDS.sleep(delayMillis);
            assertTrue(doomed.destroyForcibly(), what);
            List<ProcessHandle> left = run.awaitNoProcess(LIMIT_SECONDS);
            assertEquals(List.of(), left, () -> what + ": " + run.errors());
            assertNotEquals(0, run.await(), what);
            String errors = run.errors();
            assertTrue(errors.contains("verbena: " + victim + " (pid " + doomed.pid() + ") was killed by signal 9"),
                    () -> what + ": " + errors);
            for (String survivor : TASKS) {
                assertTrue(survivor.equals(victim) || errors.lines().anyMatch(
                        line -> line.startsWith("verbena: " + survivor + ": ") && line.contains(victim)),
                        () -> what + ": " + survivor + " does not name it: " + errors);
            }
            assertFalse(errors.contains("did not end by itself"), () -> what + ": " + errors);
            assertEquals(List.of(), run.sharedFiles(), what);
        }
    }

    private static CommandRun start(List<String> prefix) {
        return CommandRun.start(prefix, Map.of(), "train", "--iterations=1000000", "--workers=2", "--servers=1",
                "--progress");
    }

    private static Map<String, ProcessHandle> awaitTasks(CommandRun run) throws InterruptedException {
        while (run.process().isAlive()) {
            Map<String, ProcessHandle> tasks = run.tasks();
            if (tasks.keySet().containsAll(TASKS)) {
                return tasks;
            }
            TimeUnit.MILLISECONDS.sleep(10);
        }
        throw new AssertionError("the run ended by itself: " + run.errors());
    }

    private static void awaitTraining(CommandRun run) throws InterruptedException {
        while (!run.errors().contains("iteration ")) {
            assertTrue(run.process().isAlive(), () -> "the run ended by itself: " + run.errors());
            TimeUnit.MILLISECONDS.sleep(10);
        }
    }

    private static void signal(String name, long pid) throws IOException, InterruptedException {
        assertEquals(0, new ProcessBuilder("kill", "-" + name, Long.toString(pid)).start().waitFor());
    }

    private static Map<String, Integer> freePorts() throws IOException {
        Map<String, Integer> ports = new LinkedHashMap<>();
        List<ServerSocket> sockets = new ArrayList<>();
        try {
            for (String task : TASKS) {
                ServerSocket socket = new ServerSocket(0, 1, InetAddress.getByName("127.0.0.1"));
                sockets.add(socket);
                ports.put(task, socket.getLocalPort());
            }
        } finally {
            for (ServerSocket socket : sockets) {
                socket.close();
            }
        }
        return ports;
    }
}
